import { describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually, runScheduled, sendJobs } from '../support/control.ts';
import { allPushed, heldCrowd, heldPass, pushCounts, pushed, pushesTo, relayedAccount } from '../support/pushes.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/* Pushes to all passes of a template: scheduled notifications, and published versions. */

const PAGE_PASSES = 100;
const PAST = '2026-01-31 08:15';

async function notify(client: Client, templateId: string, pushNotificationText: string, publicationDate = PAST) {
  const reply = await client.post(`/api/pass-template/${templateId}/notification`, {
    pushNotificationText,
    publicationDate,
  });
  expect(reply.status).toBe(201);
  return reply.body.notificationId as string;
}

/** Returns how many passes of a template have each text and version. */
async function states(templateId: string): Promise<Record<string, number>> {
  const rows = await d1<{ state: string; passes: number }>(
    `select coalesce(push_text, '-') || ' v' || version as state, count(*) as passes from passes where template_id = ? group by 1`,
    [templateId],
  );
  return Object.fromEntries(rows.map(({ state, passes }) => [state, passes]));
}

const notificationOf = async (id: string) =>
  (await d1('select state, due_at, taken_over_at from notifications where id = ?', [id]))[0];

describe('a template notification', () => {
  test('reaches every active pass once at its time, in pages, and no other', async () => {
    const { client, templateId, mark } = await heldCrowd(250);
    const id = await notify(client, templateId, 'Doors open');
    await notify(client, templateId, 'Much later', '2099-01-01 00:00');
    // Two crons in one minute, and a third one later.
    await Promise.all([runScheduled(), runScheduled()]);
    await runScheduled();
    await eventually(async () => (await pushCounts(mark))[1] === 250);
    await allPushed(client);
    expect(await pushCounts(mark)).toEqual({ 1: 250 });
    expect(await states(templateId)).toEqual({ 'Doors open v2': 250, '- v1': 1 });
    expect(await notificationOf(id)).toMatchObject({ state: 'executed', due_at: null });
  });

  test('fills its placeholders for each pass', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const [ada, grace, empty] = [
      await heldPass(client, templateId, { 'Full name': 'Ada' }),
      await heldPass(client, templateId, { 'Full name': 'Grace' }),
      await heldPass(client, templateId),
    ];
    await notify(client, templateId, '{Full name}');
    await runScheduled();
    await pushed(ada.device);
    await pushed(grace.device);
    await allPushed(client);
    expect(await states(templateId)).toEqual({ 'Ada v2': 1, 'Grace v2': 1, '- v1': 1 });
    expect(await pushesTo(empty.device)).toEqual([]);
  });

  test('is one push for a device that has many of the passes', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const device = new Device();
    for (let i = 0; i < 5; i++) await heldPass(client, templateId, {}, device);
    await notify(client, templateId, 'One for all');
    await runScheduled();
    await pushed(device);
    await allPushed(client);
    expect(await pushesTo(device)).toHaveLength(1);
    expect((await device.list()).body.serialNumbers).toHaveLength(5);
    expect(await states(templateId)).toEqual({ 'One for all v2': 5 });
  });

  test('pushes nothing to a pass that was sent the same text last', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const held = await heldPass(client, templateId);
    for (const _ of ['first', 'second']) {
      await notify(client, templateId, 'Again');
      await runScheduled();
      await allPushed(client);
      await eventually(async () => (await states(templateId))['Again v2'] === 1);
    }
    expect(await pushesTo(held.device)).toHaveLength(1);
  });

  test('is pushed once if its jobs arrive twice, in any order and at once', async () => {
    const { client, templateId, mark } = await heldCrowd(250);
    const id = await notify(client, templateId, 'Twice');
    await runScheduled();
    const again = { type: 'push-template-notification' as const, notificationId: id };
    await sendJobs(Array(5).fill(again), client);
    await eventually(async () => (await pushCounts(mark))[1] === 250);
    const numbers = await d1<{ number: number }>('select key as number from passes where template_id = ?', [
      templateId,
    ]);
    const pages = numbers.map(({ number }) => ({ type: 'push-page' as const, fanOutId: id, page: number }));
    await sendJobs([again, ...pages.slice(0, 90)], client);
    await sendJobs([{ type: 'walk-push-fan-out', fanOutId: id }], client);
    await allPushed(client);
    expect(await pushCounts(mark)).toEqual({ 1: 250 });
    expect(await states(templateId)).toEqual({ 'Twice v2': 250, '- v1': 1 });
  });

  test('is resumed by the cron where it was lost: before a page is created, before it starts, and midway', async () => {
    const { client, templateId, ids, mark } = await heldCrowd(250);
    const now = Date.now();
    // Started, with one page: its worker crashed after writing the text to 60 passes, before it notified anybody.
    const fanOutId = crypto.randomUUID();
    const keys = await d1<{ key: number }>(
      'select key from passes where id in (select value from json_each(?)) order by key',
      [JSON.stringify(ids.slice(0, PAGE_PASSES))],
    );
    const first = keys.map(({ key }) => key);
    await d1(
      `update passes set push_text = 'Lost', version = 2 where key in (select value from json_each(?))`,
      [JSON.stringify(first.slice(0, 60))],
      client,
    );
    await d1(
      `insert into push_fan_outs (id, account_id, kind, template_id, text, cursor, created_at, due_at, claim)
       values (?, ?, 'text', ?, 'Lost', ?, ?, 1, 'dead')`,
      [fanOutId, client.accountId, templateId, first.at(-1), now],
    );
    await d1(
      `insert into push_pages (fan_out_id, number, last, keys, is_written, requested_at, due_at, claim, attempts)
       values (?, ?, ?, ?, 1, ?, 1, 'dead', 1)`,
      [fanOutId, first[0], first.at(-1), JSON.stringify(first.slice(0, 60)), now],
      client,
    );
    await runScheduled();
    await eventually(async () => (await pushCounts(mark))[1] === 210);
    await allPushed(client);
    expect(await pushCounts(mark)).toEqual({ 1: 210 });
    expect(await states(templateId)).toEqual({ 'Lost v2': 210, '- v1': 41 });
  });

  test('retries only devices that could not be notified, and ends the registrations of those that are gone', async () => {
    let busy = true;
    const far = await relayedAccount((token) => {
      if (token.startsWith('a')) return { outcome: 'gone' };
      return token.startsWith('b') && busy ? { outcome: 'retry', reason: '503' } : { outcome: 'sent' };
    });
    const templateId = await far.client.createTemplate();
    const holding = (letter: string) => {
      const device = new Device(far.passTypeId);
      device.pushToken = letter + device.pushToken.slice(1);
      return heldPass(far.client, templateId, {}, device);
    };
    const [gone, later, told] = [await holding('a'), await holding('b'), await holding('c')];
    await notify(far.client, templateId, 'Well');
    await runScheduled();
    await eventually(() => far.received.includes(later.device.pushToken));
    busy = false;
    await eventually(async () => {
      await d1(
        'update push_pages set due_at = 1 where claim is null and fan_out_id in (select id from push_fan_outs where account_id = ?)',
        [far.client.accountId],
      );
      await runScheduled();
      return far.received.filter((token) => token === later.device.pushToken).length === 2;
    });
    await allPushed(far.client);
    expect(far.received.filter((token) => token === told.device.pushToken)).toHaveLength(1);
    expect((await far.client.get(`/api/pass/${gone.pass.identifier}`)).body.numberOfActive).toBe(0);
    expect(await states(templateId)).toEqual({ 'Well v2': 3 });
    await far.relay.close();
  });

  test('of a deleted template reaches nobody', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const held = await heldPass(client, templateId);
    const id = await notify(client, templateId, 'Gone');
    await client.delete(`/api/pass-template/${templateId}`);
    await runScheduled();
    expect(await notificationOf(id)).toBeUndefined();
    expect(await pushesTo(held.device)).toEqual([]);
  });
});

describe('a published version', () => {
  const recolour = (client: Client, id: string) =>
    client.patch(`/api/v2/pass-template/${id}`, { colors: { backgroundColor: '#ff8800' } });
  const publish = (client: Client, id: string, body: object = {}) =>
    client.post(`/api/v2/pass-template/${id}/publish`, body);

  test('at once makes each device ask once, and lists the pass', async () => {
    const { client, templateId, mark } = await heldCrowd(150);
    const held = await heldPass(client, templateId);
    const tag = (await held.device.list()).body.lastUpdated;
    await recolour(client, templateId);
    const newer = await heldPass(client, templateId);
    await Promise.all([publish(client, templateId), publish(client, templateId)]);
    await pushed(held.device);
    await eventually(async () => (await pushCounts(mark))[1] === 150);
    await allPushed(client);
    expect(await pushCounts(mark)).toEqual({ 1: 150 });
    expect(await pushesTo(held.device)).toHaveLength(1);
    // It shows that version from the start.
    expect(await pushesTo(newer.device)).toEqual([]);
    expect((await held.device.list(tag)).body.serialNumbers).toEqual([held.pass.identifier]);
    expect(await states(templateId)).toEqual({ '- v1': 153 });
  });

  test('by the cron does, too', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const held = await heldPass(client, templateId);
    await recolour(client, templateId);
    expect((await publish(client, templateId, { publicationDate: PAST })).status).toBe(201);
    expect(await pushesTo(held.device)).toEqual([]);
    await Promise.all([runScheduled(), runScheduled()]);
    await pushed(held.device);
    await runScheduled();
    await allPushed(client);
    expect(await pushesTo(held.device)).toHaveLength(1);
  });

  test('without a change to the card pushes nothing', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const held = await heldPass(client, templateId);
    await client.patch(`/api/v2/pass-template/${templateId}`, { maxPasses: 7 });
    await publish(client, templateId);
    await allPushed(client);
    expect(await pushesTo(held.device)).toEqual([]);
    await recolour(client, templateId);
    await client.patch(`/api/v2/pass-template/${templateId}`, { maxPasses: 8 });
    await publish(client, templateId);
    await pushed(held.device);
  });
});
