import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../../support/api.ts';
import { d1, eventually, runScheduled } from '../../../support/control.ts';
import { GoogleStandIn } from '../../../support/google-stand-in.ts';

/* Changes and pushes as holders of Google Wallet see them, from the API to Google and back. */

let google: GoogleStandIn;
let client: Client;
let templateId: string;
beforeAll(async () => {
  google = await GoogleStandIn.open();
  client = await freshAccount();
  await google.admit(client);
  templateId = await client.createTemplate();
});
afterAll(() => google.close());

const savedPass = async () => {
  const { identifier } = await client.createPass(templateId, { 'Full name': 'Ada' });
  google.saveByLink((await client.get(`/api/pass/geturis/${identifier}`)).body.walletSaveUri);
  expect((await google.tell(identifier, 'save')).status).toBe(200);
  return identifier;
};
const header = (id: string) => google.object(id)?.header.defaultValue.value;
const textsOf = (id: string): string[] => (google.object(id)?.messages ?? []).map(({ body }: { body: string }) => body);
const push = (id: string, pushNotificationText: string) =>
  client.post(`/api/pass/${id}/sendpushnotification`, { pushNotificationText });

test('create, save, change, push a text, void, delete: the object follows', async () => {
  const id = await savedPass();
  await client.patch(`/api/v3/pass/${id}`, { data: { 'Full name': 'Grace' } });
  await eventually(() => header(id) === 'Grace');
  expect((await push(id, 'Gate change for {Full name}')).status).toBe(204);
  await eventually(() => textsOf(id).length === 1);
  expect(textsOf(id)).toEqual(['Gate change for Grace']);
  expect((await push(id, 'Gate change for {Full name}')).status).toBe(304);
  await client.put(`/api/pass/${id}`, { voided: true });
  await eventually(() => google.object(id).state === 'INACTIVE');
  expect(textsOf(id)).toEqual(['Gate change for Grace']);
  await client.delete(`/api/pass/${id}`);
  await eventually(() => google.object(id).state === 'EXPIRED');
});

test('a text is rejected while nobody has the pass', async () => {
  const { identifier } = await client.createPass(templateId);
  expect((await push(identifier, 'Hello')).status).toBe(400);
});

test('a fourth text within a day is added without a notification', async () => {
  const id = await savedPass();
  for (const text of ['one', 'two', 'three', 'four']) {
    expect((await push(id, text)).status).toBe(204);
    await eventually(() => textsOf(id).includes(text));
  }
  expect(google.object(id).messages.map(({ messageType }: { messageType: string }) => messageType)).toEqual([
    'TEXT_AND_NOTIFY',
    'TEXT_AND_NOTIFY',
    'TEXT_AND_NOTIFY',
    'TEXT',
  ]);
});

test('a scheduled notification of the template reaches every saved pass once', async () => {
  const ids = await Promise.all([savedPass(), savedPass(), savedPass()]);
  const reply = await client.post(`/api/pass-template/${templateId}/notification`, {
    pushNotificationText: 'Sale today',
    publicationDate: '2020-01-01 10:00',
  });
  expect(reply.status).toBe(201);
  await Promise.all([runScheduled(), runScheduled()]);
  await eventually(() => ids.every((id) => textsOf(id).includes('Sale today')));
  expect(ids.map((id) => textsOf(id).length)).toEqual([1, 1, 1]);
});

test('a published template version reaches saved passes', async () => {
  const own = await client.createTemplate();
  const { identifier } = await client.createPass(own, { 'Full name': 'Ada' });
  google.saveByLink((await client.get(`/api/pass/geturis/${identifier}`)).body.walletSaveUri);
  await google.tell(identifier, 'save');
  await eventually(() => google.object(identifier));
  const patched = await client.patch(`/api/v2/pass-template/${own}`, { organizationName: 'Renamed' });
  expect(patched.status).toBe(200);
  expect(google.object(identifier).cardTitle.defaultValue.value).toBe('Example Organization');
  await client.post(`/api/v2/pass-template/${own}/publish`, {});
  await eventually(() => google.object(identifier).cardTitle.defaultValue.value === 'Renamed');
});

test('if Google is unavailable, what could not be sent is sent later', async () => {
  const id = await savedPass();
  await eventually(() => header(id) === 'Ada');
  const failing = google.calls.length;
  google.failures.push({ status: 503 });
  await client.patch(`/api/v3/pass/${id}`, { data: { 'Full name': 'Joan' } });
  await eventually(() => header(id) === 'Joan', 60_000);
  expect(google.calls[failing]!.status).toBe(503);
  await eventually(async () => (await d1('select 1 from requested_pushes where pass_id = ?', [id])).length === 0);
});
