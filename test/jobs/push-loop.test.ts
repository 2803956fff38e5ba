import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount } from '../support/api.ts';
import { d1, eventually, runScheduled } from '../support/control.ts';
import type { PhoneOptions, SimulatedPhone } from '../support/phone.ts';
import { openPushLoop, type PushLoop } from '../support/push-loop.ts';
import { sampleTemplate } from '../support/samples.ts';

/*
 * From the API to the phone and back, with all components: the Worker, its queue, the relay, HTTP/2 with a client
 * certificate to a stand-in for Apple, and a phone that asks for updates.
 */

let client: Client;
let loop: PushLoop;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  loop = await openPushLoop(client);
  const sample = sampleTemplate();
  templateId = await client.createTemplate({
    fields: {
      ...sample.fields,
      headerFields: [{ key: 'level', type: 'text', label: 'Level', value: '{Level}', changeMessage: 'You are %@ now' }],
    },
  });
});
afterAll(() => loop.close());

async function onPhone(
  pass?: CreatedPass,
  options?: PhoneOptions,
): Promise<{ pass: CreatedPass; phone: SimulatedPhone }> {
  const created = pass ?? (await client.createPass(templateId, { 'Full name': 'Ada', Level: 'Silver' }));
  const phone = loop.phone(options);
  await phone.download(created.linkToPassPage);
  expect([...(await phone.register()).values()]).toEqual([201]);
  // Wallet asks this right after registering; later changes are compared with the tag of this answer.
  expect(await phone.update()).toMatchObject([{ serialNumber: created.identifier, status: 'unchanged' }]);
  return { pass: created, phone };
}

const patch = async ({ identifier }: CreatedPass, data: object) => {
  const reply = await client.patch(`/api/v3/pass/${identifier}`, { data });
  expect(reply.status).toBe(200);
};
const pushesTo = ({ pushToken }: SimulatedPhone) => loop.apns.pushes.filter(({ token }) => token === pushToken);
const activeOf = async ({ identifier }: CreatedPass) =>
  (await client.get(`/api/pass/${identifier}`)).body.numberOfActive;
/** Returns whether all requested pushes have been sent, or have failed. */
const nothingPending = ({ identifier }: CreatedPass) =>
  eventually(async () => {
    const [row] = await d1<{ count: number }>('select count(*) as count from requested_pushes where pass_id = ?', [
      identifier,
    ]);
    return row?.count === 0;
  });

describe('a pass on a phone', () => {
  test('that changes: pushed, fetched again, and shown with its change message', async () => {
    const { pass, phone } = await onPhone();
    await patch(pass, { Level: 'Gold' });
    expect(await phone.waitForPush()).toBe(loop.passTypeId);
    const [push] = pushesTo(phone);
    expect(push).toMatchObject({ topic: loop.passTypeId, body: '{}', certificateFor: loop.passTypeId });
    expect(await phone.update()).toMatchObject([
      {
        serialNumber: pass.identifier,
        status: 'updated',
        changes: [{ key: 'level', label: 'Level', from: 'Silver', to: 'Gold' }],
        messages: ['You are Gold now'],
      },
    ]);
    expect(await phone.update()).toEqual([]);
    // This is a local service, which records what it sends.
    const item = await eventually(async () => {
      const rows = await d1('select details from outbox_items where recipient = ?', [phone.pushToken]);
      return rows.length > 0 && rows.map(({ details }) => JSON.parse(String(details)));
    });
    expect(item).toMatchObject([{ via: 'relay', outcome: 'sent' }]);
  });

  test('that is voided: pushed, and shown as voided', async () => {
    const { pass, phone } = await onPhone();
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    await phone.waitForPush();
    const [update] = await phone.update();
    expect(update).toMatchObject({ status: 'updated', messages: [] });
    expect(update!.changes).toContainEqual({ key: 'voided', label: 'voided', from: undefined, to: 'true' });
  });

  test('that is voided at a scanner: pushed, and shown as voided', async () => {
    const { pass, phone } = await onPhone();
    const scanner = await client.post('/api/appconfiguration', { name: 'Gate', scanMode: 0 });
    const [{ configurationId }] = scanner.body.configuration;
    const scan = await client.post('/api/appscan', { appConfigurationId: configurationId, passId: pass.identifier });
    expect(scan.body).toMatchObject({ scanStatus: 0 });
    await phone.waitForPush();
    const [update] = await phone.update();
    expect(update!.changes).toContainEqual({ key: 'voided', label: 'voided', from: undefined, to: 'true' });
  });

  test('that gets a push text: shown with the placeholders filled', async () => {
    const { pass, phone } = await onPhone();
    const path = `/api/pass/${pass.identifier}/sendpushnotification` as const;
    const sent = await client.post(path, {
      pushNotificationText: 'Hello {Full name}, 100% $& of the scanners are open',
    });
    expect(sent.status).toBe(204);
    await phone.waitForPush();
    expect(await phone.update()).toMatchObject([
      { status: 'updated', messages: ['Hello Ada, 100% $& of the scanners are open'] },
    ]);
  });

  test('whose template sends a notification at its time: shown on each phone', async () => {
    const ownTemplateId = await client.createTemplate();
    const passes = await Promise.all(
      ['Ada', 'Grace'].map((name) => client.createPass(ownTemplateId, { 'Full name': name })),
    );
    const held = [];
    for (const pass of passes) held.push(await onPhone(pass));
    const scheduled = await client.post(`/api/pass-template/${ownTemplateId}/notification`, {
      pushNotificationText: 'Doors open at eight, {Full name}',
      publicationDate: '2026-01-01 10:00',
    });
    expect(scheduled.status).toBe(201);
    await runScheduled();
    for (const { phone } of held) await phone.waitForPush();
    const messages = await Promise.all(
      held.map(async ({ phone }) => (await phone.update()).flatMap((update) => update.messages)),
    );
    expect(messages).toEqual([['Doors open at eight, Ada'], ['Doors open at eight, Grace']]);
  });

  test('that changes in nothing visible: no push', async () => {
    const { pass, phone } = await onPhone();
    await patch(pass, { Level: 'Silver' });
    await patch(pass, { Level: 'Gold' });
    await phone.waitForPush();
    await nothingPending(pass);
    expect(pushesTo(phone)).toHaveLength(1);
  });

  test('is pushed on each of its phones, and on no other', async () => {
    const { pass, phone } = await onPhone();
    const [second, other] = [await onPhone(pass), await onPhone()];
    await patch(pass, { Level: 'Gold' });
    await Promise.all([phone.waitForPush(), second.phone.waitForPush()]);
    await nothingPending(pass);
    expect(pushesTo(other.phone)).toEqual([]);
  });

  test('that was removed from it: no push', async () => {
    const { pass, phone } = await onPhone();
    const stays = await onPhone(pass);
    expect([...(await phone.unregister()).values()]).toEqual([200]);
    await patch(pass, { Level: 'Gold' });
    await stays.phone.waitForPush();
    await nothingPending(pass);
    expect(pushesTo(phone)).toEqual([]);
    expect(await activeOf(pass)).toBe(1);
  });

  test('whose token is gone according to Apple: the registration ends, and no push is sent there again', async () => {
    const { pass, phone } = await onPhone();
    const stays = await onPhone(pass);
    loop.wipe(phone);
    await patch(pass, { Level: 'Gold' });
    await stays.phone.waitForPush();
    await eventually(async () => (await activeOf(pass)) === 1);
    expect(pushesTo(phone)).toHaveLength(1);
    await patch(pass, { Level: 'Platinum' });
    await stays.phone.waitForPush();
    await nothingPending(pass);
    expect(pushesTo(phone)).toHaveLength(1);
    const events = await d1<{ type: string }>(
      "select type from account_events where pass_id = ? and type = 'pushnotification_unregistered'",
      [pass.identifier],
    );
    expect(events).toHaveLength(1);
  });
});

describe('several passes on a phone', () => {
  test('come as one bundle, and only the one that changes is fetched again', async () => {
    const bundleId = crypto.randomUUID();
    const passes = await Promise.all(
      ['Ada', 'Grace'].map((name) => client.createPass(templateId, { 'Full name': name, Level: 'Silver', bundleId })),
    );
    const phone = loop.phone();
    expect(await phone.download(passes[0]!.linkToPassPage)).toHaveLength(2);
    expect([...(await phone.register()).values()]).toEqual([201, 201]);
    await phone.update();
    await patch(passes[1]!, { Level: 'Gold' });
    await phone.waitForPush();
    expect(await phone.update()).toMatchObject([
      { serialNumber: passes[1]!.identifier, messages: ['You are Gold now'] },
    ]);
  });
});

describe('a phone', () => {
  test('gets a pass with a PIN only with the PIN', async () => {
    const guarded = await client.createTemplate({ downloadPinEnabled: true });
    const pass = await client.createPass(guarded, { 'Full name': 'Ada', downloadPin: '4711' });
    await expect(loop.phone().download(pass.linkToPassPage)).rejects.toThrow('The page asks for a PIN');
    await expect(loop.phone({ pin: '1234' }).download(pass.linkToPassPage)).rejects.toThrow('does not take this PIN');
    const { phone } = await onPhone(pass, { pin: '4711' });
    await client.put(`/api/pass/${pass.identifier}`, { voided: true });
    await phone.waitForPush();
    expect(await phone.update()).toMatchObject([{ status: 'updated' }]);
  });

  test('explains why there is no pass', async () => {
    const { pass } = await onPhone();
    await client.delete(`/api/pass/${pass.identifier}`);
    await expect(loop.phone().download(pass.linkToPassPage)).rejects.toThrow('was answered with 404');
  });

  test('keeps a deleted pass, and learns that it is gone', async () => {
    const { pass, phone } = await onPhone();
    await client.delete(`/api/pass/${pass.identifier}`);
    expect(await phone.update()).toMatchObject([{ serialNumber: pass.identifier, status: 'gone' }]);
    expect(phone.passes.size).toBe(1);
  });
});
