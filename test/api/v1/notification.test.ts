import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { NAME_ROWS } from '../../support/audit.ts';
import { costOf, d1, eventually, runScheduled } from '../../support/control.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await client.createTemplate();
});

const path = (template = templateId) => `/api/pass-template/${template}/notification` as const;
const PUSH = { pushNotificationText: 'Doors open', publicationDate: '2099-05-14 18:00' };
const PAST = { ...PUSH, publicationDate: '2026-01-31 08:15' };

const create = async (body: object = PUSH, template = templateId): Promise<string> => {
  const reply = await client.post(path(template), body);
  expect([reply.status, reply.body]).toEqual([201, { notificationId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  return reply.body.notificationId;
};
const remove = (id: string, as = client) => as.delete(`/api/pass-template/notification/${id}`);
const outcome = ({ status, body }: Reply) => [status, body];

describe('create', () => {
  test('schedules a push, for at most three round trips', async () => {
    const reply = await client.post(path(), PUSH);
    expect(reply.status).toBe(201);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(8 + NAME_ROWS);
  });

  test('accepts a text beyond the 85 safe characters, and stores all of it', async () => {
    const long = 'Größe '.repeat(50).trim();
    const template = await client.createTemplate();
    await create({ ...PUSH, pushNotificationText: long }, template);
    expect((await client.get(path(template))).body.scheduledTasks[0].notificationText).toBe(long);
  });

  test.each([
    ['no text', { publicationDate: PUSH.publicationDate }, 'pushNotificationText: is required'],
    ['an empty text', { ...PUSH, pushNotificationText: ' ' }, 'pushNotificationText: must not be empty'],
    ['a text that is no text', { ...PUSH, pushNotificationText: [7] }, 'pushNotificationText: '],
    ['a text without measure', { ...PUSH, pushNotificationText: 'x'.repeat(10_001) }, 'pushNotificationText: '],
    ['no date', { pushNotificationText: 'x' }, 'publicationDate: is required'],
    [
      'another format',
      { ...PUSH, publicationDate: '14.05.2099 18:00' },
      'publicationDate: must look like 2026-12-24 09:10',
    ],
    [
      'seconds',
      { ...PUSH, publicationDate: '2099-05-14 18:00:00' },
      'publicationDate: must look like 2026-12-24 09:10',
    ],
    ['a date that does not exist', { ...PUSH, publicationDate: '2099-02-30 10:00' }, 'publicationDate: '],
    ['nothing', {}, 'pushNotificationText: is required; publicationDate: is required'],
  ])('rejects %s and names the field', async (_, body, message) => {
    const reply = await client.post(path(), body);
    expect(reply.status).toBe(400);
    expect(reply.body.ErrorMessage).toContain(message);
  });

  test('finds only templates of the account', async () => {
    const foreign = await (await freshAccount()).createTemplate();
    for (const id of [foreign, crypto.randomUUID(), 'no-uuid']) {
      expect(outcome(await client.post(path(id), PUSH))).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
    expect(await d1('select 1 from notifications where template_id = ?', [foreign])).toEqual([]);
  });
});

describe('list', () => {
  test('is an empty array if there are none', async () => {
    const empty = await client.createTemplate();
    expect(outcome(await client.get(path(empty)))).toEqual([200, []]);
  });

  test('shows what is scheduled, in order and in the account’s time zone, and omits the empty list', async () => {
    const template = await client.createTemplate();
    const later = await create({ pushNotificationText: 'Later', publicationDate: '2099-12-24 20:00' }, template);
    const sooner = await create({ pushNotificationText: 'Sooner', publicationDate: '2099-07-01 09:05' }, template);
    const reply = await client.get(path(template));
    expect(outcome(reply)).toEqual([
      200,
      {
        scheduledTasks: [
          { notificationId: sooner, publicationDate: '2099-07-01 09:05', notificationText: 'Sooner' },
          { notificationId: later, publicationDate: '2099-12-24 20:00', notificationText: 'Later' },
        ],
      },
    ]);
    expect((await costOf(reply)).roundTrips).toBeLessThanOrEqual(2);
    const [row] = await d1<{ at: number }>('select publication_at as at from notifications where id = ?', [sooner]);
    expect(row?.at).toBe(Date.UTC(2099, 6, 1, 7, 5));
  });

  test('shows the publication of a version without a text', async () => {
    const template = await client.createTemplate();
    const id = await create(PUSH, template);
    await d1('update notifications set text = null, version = 2 where id = ?', [id]);
    const { scheduledTasks } = (await client.get(path(template))).body;
    expect(scheduledTasks).toEqual([{ notificationId: id, publicationDate: PUSH.publicationDate }]);
  });

  test('finds only templates of the account', async () => {
    const foreign = await freshAccount();
    for (const id of [templateId, crypto.randomUUID(), 'no-uuid']) {
      expect(outcome(await foreign.get(path(id)))).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
  });
});

describe('the cron', () => {
  test('executes what is due: it leaves the scheduled list, and a job is queued', async () => {
    const template = await client.createTemplate();
    const due = await create(PAST, template);
    const future = await create(PUSH, template);
    await Promise.all([runScheduled(), runScheduled()]);
    await runScheduled();
    expect((await client.get(path(template))).body).toEqual({
      scheduledTasks: [
        { notificationId: future, publicationDate: PUSH.publicationDate, notificationText: 'Doors open' },
      ],
      executedTasks: [{ notificationId: due, publicationDate: PAST.publicationDate, notificationText: 'Doors open' }],
    });
    const taken = () => d1('select 1 from notifications where id = ? and taken_over_at is not null', [due]);
    await eventually(async () => (await taken()).length === 1);
    expect(outcome(await remove(due))).toEqual([400, { ErrorMessage: 'The notification was already executed' }]);
  });
});

describe('delete', () => {
  test('removes what is scheduled, once', async () => {
    const template = await client.createTemplate();
    const id = await create(PUSH, template);
    expect(outcome(await remove(id))).toEqual([200, []]);
    expect((await client.get(path(template))).body).toEqual([]);
    expect(outcome(await remove(id))).toEqual([404, { ErrorMessage: 'Object not found' }]);
  });

  test('returns 404 for an unknown notification, and 401 for another account’s', async () => {
    const id = await create();
    const foreign = await freshAccount();
    expect((await remove(id, foreign)).status).toBe(401);
    expect((await remove(id, foreign)).body.ErrorMessage).toContain('cannot access');
    expect((await remove(crypto.randomUUID())).status).toBe(404);
    expect((await remove('no-uuid')).status).toBe(404);
    expect((await remove(id)).status).toBe(200);
  });

  test('succeeds once if 50 are simultaneous', async () => {
    const id = await create();
    const replies = await Promise.all(Array.from({ length: 50 }, () => remove(id)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49);
  });

  test('races the cron, and exactly one of them gets each notification', async () => {
    const template = await client.createTemplate();
    const ids = await Promise.all(Array.from({ length: 50 }, () => create(PAST, template)));
    const [replies] = await Promise.all([Promise.all(ids.map((id) => remove(id))), runScheduled(), runScheduled()]);
    const executed = ((await client.get(path(template))).body.executedTasks ?? []) as { notificationId: string }[];
    const refused = ids.filter((_, i) => replies[i]!.status === 400);
    expect(executed.map(({ notificationId }) => notificationId).sort()).toEqual(refused.sort());
    expect(replies.every(({ status }) => status === 200 || status === 400)).toBe(true);
  });
});
