import { beforeAll, describe, expect, test } from 'vitest';
import { versionNumber } from '../../../src/domain/versions.ts';
import { type Client, type CreatedPass, freshAccount, send } from '../../support/api.ts';
import { ENTRY_ROWS } from '../../support/audit.ts';
import { costOf, d1, runScheduled } from '../../support/control.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
});

const patch = (id: string, body: object) => client.patch(`/api/v2/pass-template/${id}`, body);
const publish = (id: string, publicationDate?: string | null) =>
  client.post(`/api/v2/pass-template/${id}/publish`, publicationDate === undefined ? undefined : { publicationDate });
const publishedOf = async (id: string) => {
  const [row] = await d1<{ published: number }>('select published_version as published from templates where id = ?', [
    id,
  ]);
  return versionNumber(row!.published);
};
/** Returns the template's name as the pass shows it. */
const shownBy = async (pass: CreatedPass) =>
  (await client.get(`/api/v3/pass/${pass.identifier}`)).body.data.passTemplateName;
const notificationsOf = async (id: string) => (await client.get(`/api/pass-template/${id}/notification`)).body;

async function draft(name: string): Promise<{ id: string; pass: CreatedPass }> {
  const id = await client.createTemplate();
  const pass = await client.createPass(id);
  await patch(id, { name });
  return { id, pass };
}

test('a change reaches new passes at once, and existing ones when it is published', async () => {
  const { id, pass } = await draft('Changed');
  expect(await shownBy(await client.createPass(id))).toBe('Changed');
  expect(await shownBy(pass)).toBe('Membership');
  const before = await d1('select * from passes where id = ?', [pass.identifier]);
  const reply = await publish(id);
  expect([reply.status, reply.body]).toEqual([
    201,
    { success: true, description: 'Published', errors: [], data: [], statusCode: 201 },
  ]);
  expect(await shownBy(pass)).toBe('Changed');
  expect(await d1('select * from passes where id = ?', [pass.identifier])).toEqual(before);
});

test('there is nothing to publish for a new template, or after a publication', async () => {
  const id = await client.createTemplate();
  for (const date of [undefined, null, '2030-01-01 10:00']) {
    const reply = await publish(id, date);
    expect([reply.status, reply.body.statusCode, reply.body.data]).toEqual([200, 200, []]);
  }
  await patch(id, { name: 'New' });
  expect((await publish(id)).status).toBe(201);
  expect((await publish(id)).status).toBe(200);
});

describe('with a date', () => {
  test('the definition at the time of the request is published at the date, in the account’s zone', async () => {
    const { id, pass } = await draft('Planned');
    expect((await publish(id, '2030-07-01 10:00')).status).toBe(201);
    await patch(id, { name: 'Too late' });
    expect(await notificationsOf(id)).toEqual({
      scheduledTasks: [{ notificationId: expect.any(String), publicationDate: '2030-07-01 10:00' }],
    });
    await runScheduled();
    expect(await publishedOf(id)).toBe(1);
    // Ten o'clock in summer in Vienna is eight in UTC. Shift the row there instead of waiting.
    const shifted = Date.UTC(2030, 6, 1, 8) - Date.now();
    await d1('update notifications set due_at = due_at - ? where template_id = ?', [shifted + 1, id]);
    await runScheduled();
    expect(await publishedOf(id)).toBe(2);
    expect(await shownBy(pass)).toBe('Planned');
    expect(Object.keys(await notificationsOf(id))).toEqual(['executedTasks']);
  });

  test('publishing again moves what is scheduled', async () => {
    const { id } = await draft('Moved');
    for (const date of ['2030-01-01 10:00', '2031-02-02 11:30']) expect((await publish(id, date)).status).toBe(201);
    const { scheduledTasks } = await notificationsOf(id);
    expect(scheduledTasks).toEqual([{ notificationId: expect.any(String), publicationDate: '2031-02-02 11:30' }]);
    expect((await publish(id)).status).toBe(201);
    const lists = await notificationsOf(id);
    expect(Object.keys(lists)).toEqual(['executedTasks']);
    expect(lists.executedTasks).toHaveLength(1);
    expect(lists.executedTasks[0]).not.toHaveProperty('notificationText');
  });

  test.each(['2026-02-30 10:00', '2026-02-03', 'tomorrow', '2026-02-03T10:00'])('rejects %j', async (date) => {
    const { id } = await draft('Refused');
    const reply = await publish(id, date);
    expect([reply.status, reply.body.errors[0]]).toEqual([400, expect.stringContaining('publicationDate: ')]);
  });
});

test('does not find a foreign template', async () => {
  const { id } = await draft('Foreign');
  const foreign = await freshAccount();
  expect((await foreign.post(`/api/v2/pass-template/${id}/publish`)).status).toBe(404);
  expect(
    (await foreign.post(`/api/v2/pass-template/${id}/publish`, { publicationDate: '2030-01-01 10:00' })).status,
  ).toBe(404);
  expect(await publishedOf(id)).toBe(1);
});

describe('devices', () => {
  const read = (pass: CreatedPass, since?: string) =>
    send('GET', pass.linkToPassFile as '/', undefined, since ? { 'If-Modified-Since': since } : {});

  test('see a publication as a change, even within the same second as another change', async () => {
    const { id, pass } = await draft('First');
    let seen = (await read(pass)).headers.get('Last-Modified')!;
    const changes = [
      () => publish(id),
      () => client.patch(`/api/v3/pass/${pass.identifier}`, { data: { Level: 'Gold' } }),
      () => patch(id, { name: 'Second' }).then(() => publish(id)),
      () => client.put(`/api/pass/${pass.identifier}`, { voided: true }),
      () => patch(id, { name: 'Third' }).then(() => publish(id)),
    ];
    for (const [i, change] of changes.entries()) {
      expect((await read(pass, seen)).status, `before change ${i}`).toBe(304);
      await change();
      const reply = await read(pass, seen);
      expect(reply.status, `after change ${i}`).toBe(200);
      seen = reply.headers.get('Last-Modified')!;
    }
  });

  test('have nothing to fetch if the published definition is the one they show', async () => {
    const { id } = await draft('Made with the draft');
    const pass = await client.createPass(id);
    const seen = (await read(pass)).headers.get('Last-Modified')!;
    await publish(id);
    expect((await read(pass, seen)).status).toBe(304);
  });
});

describe('races', () => {
  test('of publications: one is recorded, all succeed', async () => {
    const { id, pass } = await draft('Raced');
    const replies = await Promise.all(Array.from({ length: 10 }, () => publish(id)));
    expect(replies.every(({ status }) => status === 200 || status === 201)).toBe(true);
    expect(replies.some(({ status }) => status === 201)).toBe(true);
    expect(await shownBy(pass)).toBe('Raced');
    expect((await notificationsOf(id)).executedTasks).toHaveLength(1);
  });

  test('with changes: none is lost, and no version is reverted', async () => {
    const { id, pass } = await draft('Start');
    const members = Array.from({ length: 10 }, (_, i) => i);
    const replies = await Promise.all(
      members.flatMap((i) => [patch(id, { translations: { en: { [`text ${i}`]: 'x' } } }), publish(id)]),
    );
    expect(replies.every(({ status }) => status === 200 || status === 201)).toBe(true);
    const [row] = await d1<{ version: number; published_version: number }>(
      'select version, published_version from templates where id = ?',
      [id],
    );
    expect(versionNumber(row!.version)).toBe(12);
    expect(versionNumber(row!.published_version)).toBeGreaterThanOrEqual(2);
    await publish(id);
    expect(await publishedOf(id)).toBe(12);
    expect(await shownBy(pass)).toBe('Start');
  });
});

test('a publication takes three round trips at most, however many passes there are', async () => {
  const { id } = await draft('Cheap');
  for (let i = 0; i < 30; i++) await client.createPass(id);
  const scheduled = await costOf(await publish(id, '2030-01-01 10:00'));
  const published = await costOf(await publish(id));
  for (const cost of [scheduled, published]) {
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(20);
    expect(cost.rowsWritten).toBeLessThanOrEqual(12 + ENTRY_ROWS);
  }
});
