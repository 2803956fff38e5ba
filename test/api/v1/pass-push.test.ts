import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../../support/api.ts';
import { ENTRY_ROWS } from '../../support/audit.ts';
import { costOf, d1 } from '../../support/control.ts';
import { allPushed, type HeldPass, heldPass, pushed, pushesTo } from '../../support/pushes.ts';
import { unzip } from '../../wallets/apple/tools.ts';
import { Device } from '../../wallets/apple/web-service/device.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const path = (name: string) => `/api/pass/${name}/sendpushnotification` as const;
const text = (pushNotificationText: unknown) => ({ pushNotificationText });
const send = ({ pass }: { pass: CreatedPass }, pushNotificationText: string, as = client) =>
  as.post(path(pass.identifier), text(pushNotificationText));
const sendMany = (listOfPasses: unknown, pushNotificationText: unknown, as = client) =>
  as.post('/api/pass/sendpushnotifications', { listOfPasses, pushNotificationText });

/** Returns the last message on the back of the pass, as a device fetches it. */
async function shownText({ pass, device }: HeldPass): Promise<string> {
  const { body } = await device.fetch(pass);
  const { generic } = JSON.parse(String(unzip(body).get('pass.json')));
  const field = generic.backFields.find(({ key }: { key: string }) => key === 'push-text');
  expect(field.changeMessage).toBe('%@');
  return field.value;
}

describe('sendpushnotification', () => {
  test('reaches each device of the pass, which then finds the text in a field with a change message', async () => {
    const held = await heldPass(client, templateId);
    const second = new Device();
    await second.register(held.pass);
    const tag = (await held.device.list()).body.lastUpdated;
    expect(await shownText(held)).toBe('–');
    const reply = await send(held, 'Doors open at 18:30');
    expect([reply.status, reply.body]).toEqual([204, undefined]);
    for (const device of [held.device, second]) {
      expect(await pushed(device)).toEqual([
        {
          to: device.pushToken,
          topic: device.passTypeId,
          text: 'Doors open at 18:30',
          passId: held.pass.identifier,
        },
      ]);
    }
    const changed = (await held.device.list(tag)).body;
    expect(changed.serialNumbers).toEqual([held.pass.identifier]);
    expect(await shownText(held)).toBe('Doors open at 18:30');
    expect((await held.device.list(changed.lastUpdated)).status).toBe(204);
  });

  test('fills placeholders with the values of the pass', async () => {
    const held = await heldPass(client, templateId, { 'Full name': 'Ada', userProvidedId: 'member-7' });
    expect((await client.post(path('member-7'), text('Hello {Full name}, {unknown} {userProvidedId}'))).status).toBe(
      204,
    );
    expect(await shownText(held)).toBe('Hello Ada, {unknown} member-7');
    const [push] = await pushed(held.device);
    expect(push?.text).toBe('Hello Ada, {unknown} member-7');
  });

  test('returns 304 for the last text sent, with placeholders filled, and pushes nothing', async () => {
    const held = await heldPass(client, templateId, { 'Full name': 'Ada' });
    expect((await send(held, 'Hello {Full name}')).status).toBe(204);
    const same = await send(held, 'Hello Ada');
    expect([same.status, same.body]).toEqual([304, undefined]);
    expect((await send(held, ' Hello {Full name} ')).status).toBe(304);
    expect((await send(held, 'Good bye')).status).toBe(204);
    expect((await send(held, 'Hello Ada')).status).toBe(204);
    await allPushed(client);
    expect(new Set((await pushesTo(held.device)).map((push) => push.text))).toContain('Hello Ada');
    await client.patch(`/api/v3/pass/${held.pass.identifier}`, { data: { 'Full name': 'Grace' } });
    expect((await send(held, 'Hello {Full name}')).status).toBe(204);
  });

  test('of 50 equal simultaneous requests, one sends a push and the others get 304', async () => {
    const held = await heldPass(client, templateId);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(held, 'Run!')));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(49).fill(304)]);
    await allPushed(client);
    expect(await pushesTo(held.device)).toHaveLength(1);
    const [row] = await d1('select version, push_text from passes where id = ?', [held.pass.identifier]);
    expect(row).toEqual({ version: 2, push_text: 'Run!' });
  });

  test('rejects a pass that is not active, and one that no longer is', async () => {
    const pass = await client.createPass(templateId);
    const never = await send({ pass }, 'Hello');
    expect([never.status, never.body]).toEqual([400, { ErrorMessage: 'The pass is not active: no device has it' }]);
    const held = await heldPass(client, templateId);
    await held.device.unregister(held.pass);
    expect((await send(held, 'Hello')).status).toBe(400);
    expect(await d1('select push_text, version from passes where id = ?', [held.pass.identifier])).toEqual([
      { push_text: null, version: 1 },
    ]);
  });

  test.each([
    ['no text', {}, 'pushNotificationText: is required'],
    ['an empty text', text(''), 'pushNotificationText: must not be empty'],
    ['a blank text', text('  '), 'pushNotificationText: must not be empty'],
    ['a text that is no text', text([7]), 'pushNotificationText: must be a string'],
    ['a text without measure', text('x'.repeat(10_001)), 'pushNotificationText: must have at most'],
    ['a text of placeholders that are empty', text('{Full name}'), 'pushNotificationText: is empty once'],
    ['a text of placeholders without measure', text('{identifier}'.repeat(300)), 'pushNotificationText: has more than'],
  ])('rejects %s and names the field', async (_, body, message) => {
    const held = await heldPass(client, templateId);
    const reply = await client.post(path(held.pass.identifier), body);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
  });

  test('finds only passes of the account', async () => {
    const other = await freshAccount();
    const held = await heldPass(client, templateId, { userProvidedId: 'mine' });
    for (const name of [held.pass.identifier, 'mine', held.pass.barcodeValue, crypto.randomUUID(), 'nobody']) {
      const reply = await other.post(path(name), text('Hello'));
      expect([reply.status, reply.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
    expect(await d1('select push_text from passes where id = ?', [held.pass.identifier])).toEqual([
      { push_text: null },
    ]);
  });

  test('is no update of a pass’s values: it creates no event', async () => {
    const held = await heldPass(client, templateId);
    await send(held, 'Hello');
    const events = await d1<{ type: string }>('select type from account_events where pass_id = ?', [
      held.pass.identifier,
    ]);
    expect(events.map(({ type }) => type)).not.toContain('pass_updated');
  });

  test('takes three round trips and a handful of rows', async () => {
    const held = await heldPass(client, templateId);
    const cost = await costOf(await send(held, 'Cheap'));
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    // Three of them find out who adds the change to the timeline: the push does.
    expect(cost.rowsRead).toBeLessThanOrEqual(19);
    expect(cost.rowsWritten).toBeLessThanOrEqual(8);
  });
});

describe('sendpushnotifications', () => {
  test('reaches the passes it names in any way, skips unknown names, and a pass named twice gets it once', async () => {
    const fields = { userProvidedId: 'list-1', 'Full name': 'Ada' };
    const [first, second, third] = await Promise.all([
      heldPass(client, templateId, fields),
      heldPass(client, templateId, { 'Full name': 'Grace' }),
      heldPass(client, templateId, { 'Full name': 'Hedy' }),
    ]);
    const inactive = await client.createPass(templateId, { userProvidedId: 'list-inactive' });
    const names = ['list-1', first.pass.identifier, second.pass.barcodeValue, 'list-inactive', 'nobody', ''];
    const reply = await sendMany(names, 'Hi {Full name}');
    expect([reply.status, reply.body]).toEqual([202, undefined]);
    await pushed(first.device);
    await pushed(second.device);
    await allPushed(client);
    expect(await pushesTo(first.device)).toHaveLength(1);
    expect(await pushesTo(third.device)).toEqual([]);
    expect([await shownText(first), await shownText(second), await shownText(third)]).toEqual([
      'Hi Ada',
      'Hi Grace',
      '–',
    ]);
    expect(await d1('select push_text, version from passes where id = ?', [inactive.identifier])).toEqual([
      { push_text: null, version: 1 },
    ]);
    // The most recently sent text decides, whichever channel it used.
    expect((await send(first, 'Hi Ada')).status).toBe(304);
  });

  test.each([
    ['no list', undefined, 'x', 'listOfPasses: is required'],
    ['an empty list', [], 'x', 'listOfPasses: must name 1 to 500 passes'],
    ['more than 500 passes', Array(501).fill('a'), 'x', 'listOfPasses: must name 1 to 500 passes'],
    ['a list that is none', 'abc', 'x', 'listOfPasses: is required and must be an array'],
    ['names that are none', [null], 'x', 'listOfPasses.0: must be a string'],
    ['a bare number in place of names', 7, 'x', 'listOfPasses: '],
    ['no text', ['a'], undefined, 'pushNotificationText: is required'],
    ['an empty text', ['a'], '', 'pushNotificationText: must not be empty'],
  ])('rejects %s and names the field', async (_, list, push, message) => {
    const reply = await sendMany(list, push);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
  });

  test('accepts 500 passes, for at most three round trips and rows in proportion to the list', async () => {
    const held = await heldPass(client, templateId);
    const names = [...Array.from({ length: 499 }, (_, i) => `unknown-${i}`), held.pass.identifier];
    const reply = await sendMany(names, 'Hello 500');
    expect(reply.status).toBe(202);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(520);
    expect(cost.rowsWritten).toBeLessThanOrEqual(8 + ENTRY_ROWS);
    expect(await pushed(held.device)).toHaveLength(1);
  });

  test('reaches no pass of another account', async () => {
    const other = await freshAccount();
    const held = await heldPass(client, templateId, { userProvidedId: 'not-yours' });
    const reply = await sendMany([held.pass.identifier, 'not-yours', held.pass.barcodeValue], 'Hello', other);
    expect(reply.status).toBe(202);
    expect(await d1('select 1 from push_fan_outs where account_id = ?', [other.accountId])).toEqual([]);
    expect(await d1('select push_text from passes where id = ?', [held.pass.identifier])).toEqual([
      { push_text: null },
    ]);
  });

  test('needs a key', async () => {
    const body = { listOfPasses: ['a'], pushNotificationText: 'x' };
    expect((await client.post('/api/pass/sendpushnotifications', body, { Authorization: 'x' })).status).toBe(401);
    expect((await client.post(path('a'), text('x'), { Authorization: 'x' })).status).toBe(401);
  });
});
