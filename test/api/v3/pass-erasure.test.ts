import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, send } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { d1, eventually, runScheduled, storedKeys } from '../../support/control.ts';
import { recordedEvents } from '../../support/event-bodies.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { ended } from '../../support/processes.ts';
import { processHolds, remainsOf } from '../../support/remains.ts';
import { deliveriesWhen, subscribed, told } from '../../support/webhooks.ts';

/* What remains of a deleted pass. */

const TEMPLATE = {
  sendoutOptions: { passCreationNotification: { subject: 'For {Full name}', emailTemplate: 'Hello {Full name}' } },
  images: { perPassImages: { thumbnail: true } },
  additionalProperties: [
    { name: 'Full name', type: 'text' as const },
    { name: 'Level', type: 'text' as const },
  ],
};

/** Before any marker was created. */
const START = new Date();

/** Returns words that occur nowhere else in the database. */
function markersOf() {
  const word = () => `z${crypto.randomUUID().replaceAll('-', '')}`;
  const [userProvidedId, name, mailbox, barcode, answer] = [word(), word(), word(), word(), word()];
  return { userProvidedId, name, email: `${mailbox}@example.com`, barcode, answer };
}

const fieldsOf = ({ userProvidedId, name, email, barcode }: ReturnType<typeof markersOf>) => ({
  userProvidedId,
  'Full name': name,
  emailRecipient: email,
  barcodeValue: barcode,
});

/** Has the cron search for remains once more, as it does after a while. */
async function nextRound(passId: string): Promise<void> {
  const roundsOf = async () =>
    (await d1<{ rounds: number }>('select rounds from pass_erasures where pass_id = ?', [passId]))[0]?.rounds;
  const before = await eventually(async () => {
    const rounds = await roundsOf();
    return rounds !== undefined && rounds > 0 && rounds;
  });
  await d1('update pass_erasures set due_at = 0 where pass_id = ?', [passId]);
  await runScheduled();
  await eventually(async () => (await roundsOf()) !== before);
}

const isErased = async (passId: string) =>
  (await d1('select 1 as one from pass_erasures where pass_id = ?', [passId])).length === 0;

const keyed = (key: string) => ({ 'Idempotency-Key': key });

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate(TEMPLATE);
});

const create = async (data: object, headers = {}) => {
  const { status, body } = await client.post('/api/v3/pass?async=false', { data: { templateId, ...data } }, headers);
  expect(status).toBe(200);
  return body.data;
};
const remove = async (id: string) => expect((await client.delete(`/api/v3/pass/${id}`)).status).toBe(200);

describe('a deleted pass', () => {
  test('leaves none of its values in any table, file or process', async () => {
    const markers = markersOf();
    const words = Object.values(markers);
    const own = await freshAccount();
    const template = await own.createTemplate(TEMPLATE);
    const outside = await openOutsideServer(() => ({ status: 500, body: `I know ${markers.answer} already` }));
    const hook = await subscribed(own, `${outside.origin}/hook`, { event: 'pass_created', retryEnabled: false });
    const key = crypto.randomUUID();
    const data = { templateId: template, ...fieldsOf(markers) };
    const { body } = await own.post('/api/v3/pass?async=false', { data }, keyed(key));
    const { identifier: id, passFileUri, downloadPage } = body.data;
    expect((await send('GET', passFileUri)).status).toBe(200);
    expect((await send('GET', downloadPage)).status).toBe(200);
    const scanner = await createConfiguration(own, {
      passTemplateIds: [template],
      additionalProperties: [{ name: 'Note', type: 'unicode' }],
    });
    const note = { [scanner.additionalProperties[0]!.id]: markers.name };
    expect((await scan(own, scanner, markers.barcode, { additionalProperties: note })).body.scanStatus).toBe(0);
    const item = { identifier: markers.userProvidedId, data: { 'Full name': markers.name, expirationDate: 'never' } };
    const started = await own.patch('/api/v3/pass/bulk', { passes: [item] });
    const { processId } = started.body.data;
    expect((await ended(own, started)).status).toBe('finished with errors');
    await deliveriesWhen(own, hook.identifier, ([delivery]) => delivery?.state === 'failed');
    expect(await processHolds(processId, words)).toBe(true);

    await own.delete(`/api/v3/pass/${id}`);
    await nextRound(id);
    expect(await isErased(id)).toBe(true);
    expect(await remainsOf(words, START)).toEqual([]);
    expect(await processHolds(processId, words)).toBe(false);
    expect((await own.get(`/api/v3/process/${processId}`)).body).toMatchObject({ data: { total: 0, current: 0 } });
    // The events remain, with their structure but no values.
    const events = await recordedEvents('pass_id = ? order by id', [id]);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['app_scan_created', 'pass_voided', 'pass_deleted']),
    );
    expect(events.at(-1)?.body).toMatchObject({ identifier: id, userProvidedId: null, genericProperties: {} });
    await outside.close();
  });

  test('leaves no value in scans that did not find it, or in their events', async () => {
    const markers = markersOf();
    const own = await freshAccount();
    const template = await own.createTemplate(TEMPLATE);
    const pulling = { event: 'app_scan_created', pullMode: true };
    const hook = await own.post('/api/hook/subscribe', pulling, { Prefer: 'return=representation' });
    const wrong = await createConfiguration(own, {
      passTemplateIds: [await own.createTemplate()],
      additionalProperties: [{ name: 'Note', type: 'unicode' }],
    });
    const note = { additionalProperties: { [wrong.additionalProperties[0]!.id]: markers.name } };
    // Before the pass exists, with a one-time code, and at the wrong configuration.
    await scan(own, wrong, markers.userProvidedId, note);
    const { identifier: id } = await own.createPass(template, fieldsOf(markers));
    await scan(own, wrong, `${markers.barcode}.123456`, note);
    await scan(own, wrong, markers.barcode, note);
    await scan(own, wrong, `${markers.barcode} of another pass`, {});
    expect(await remainsOf([markers.barcode], START)).toContain('account_events.body');
    await own.delete(`/api/v3/pass/${id}`);
    // The payloads are not acknowledged.
    await nextRound(id);
    expect(await isErased(id)).toBe(false);
    const path = `/api/v3/webhook-payload?webhookId=${hook.body.identifier}` as const;
    const payloads = await eventually(async () => {
      const { data } = (await own.get(path)).body;
      return data.length === 4 && data;
    });
    await own.post('/api/v3/webhook-payload/acknowledge', { upTo: payloads.at(-1).id });
    await nextRound(id);
    expect(await isErased(id)).toBe(true);
    const { results } = (await own.get(`/api/appscan/list/${wrong.configurationId}`)).body;
    const codes = results.map((one: { scannedBarcodeValue: string }) => one.scannedBarcodeValue);
    expect(codes).toEqual([null, null, null, `${markers.barcode} of another pass`]);
    expect(await remainsOf([markers.name], START)).toEqual([]);
  });

  test('remains in lists of scans, with only the fact and time of the scan', async () => {
    const markers = markersOf();
    const { identifier: id } = await create(fieldsOf(markers));
    const scanner = await createConfiguration(client, { passTemplateIds: [templateId], scanMode: 1 });
    await scan(client, scanner, markers.barcode, { deviceName: 'Gate 3' });
    await remove(id);
    const list = await eventually(async () => {
      const { body } = await client.get(`/api/appscan/list/${scanner.configurationId}`);
      return !JSON.stringify(body).includes(markers.barcode) && body;
    });
    expect(list.total ?? list.results.length).toBe(1);
    expect(list.results[0]).toMatchObject({ scanStatus: 2, deviceName: 'Gate 3' });
    expect(JSON.stringify(list)).not.toMatch(new RegExp(Object.values(markers).join('|')));
  });

  test('is reported as the contract says, and erased once it was reported', async () => {
    const markers = markersOf();
    const pulling = await client.post(
      '/api/hook/subscribe',
      { event: 'pass_deleted', pullMode: true },
      { Prefer: 'return=representation' },
    );
    const path = `/api/v3/webhook-payload?webhookId=${pulling.body.identifier}` as const;
    const outside = await openOutsideServer(() => ({ status: 204 }));
    await subscribed(client, `${outside.origin}/deleted`, { event: 'pass_deleted' });
    const { identifier: id } = await create(fieldsOf(markers));
    await remove(id);
    const [request] = await outside.received(1);
    const full = { userProvidedId: markers.userProvidedId, genericProperties: { 'Full name': markers.name } };
    expect(told(request!)).toMatchObject(full);
    const payload = await eventually(async () => (await client.get(path)).body.data[0]);
    await nextRound(id);
    // It was pushed, but the other one is not acknowledged.
    expect((await client.get(path)).body.data[0].payload).toMatchObject(full);
    expect(await isErased(id)).toBe(false);
    await client.post('/api/v3/webhook-payload/acknowledge', { upTo: payload.id });
    await nextRound(id);
    expect(await isErased(id)).toBe(true);
    expect(await remainsOf([markers.userProvidedId, markers.name], START)).toEqual([]);
    await outside.close();
  });

  test('is erased from stored replies, and a repeated request is rejected and creates no second pass', async () => {
    const [key, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const markers = markersOf();
    const { identifier: id } = await create(fieldsOf(markers), keyed(key));
    const { identifier: stays } = await create({}, keyed(other));
    await remove(id);
    const replyOf = async () =>
      (await d1<{ body: string }>('select body from idempotency_keys where key = ?', [key], client))[0];
    await eventually(async () => (await replyOf())?.body === null);
    const data = { templateId, ...fieldsOf(markers) };
    const repeat = await client.post('/api/v3/pass?async=false', { data }, keyed(key));
    expect(repeat.status).toBe(422);
    expect(repeat.body.errors[0]).toMatch(/^Idempotency-Key: .*deleted/);
    const again = await client.post('/api/v3/pass?async=false', { data: { templateId } }, keyed(other));
    expect(again.body.data.identifier).toBe(stays);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('is deleted with its photo, unless another pass shows it', async () => {
    const picture = readFileSync('scripts/demo/images/lindhof-icon.png');
    const outside = await openOutsideServer(() => ({ body: Buffer.concat([picture, Buffer.from(markersOf().name)]) }));
    const shown = async (id: string) => {
      const { body } = await client.get(`/api/v3/pass/${id}`);
      return body.data.urlToThumbnail as `http://${string}`;
    };
    const first = await create({ urlToThumbnail: `${outside.origin}/photo.png` });
    const address = await shown(first.identifier);
    const second = await create({ urlToThumbnail: address });
    expect(await shown(second.identifier)).toBe(address);
    await remove(first.identifier);
    await runScheduled();
    expect((await send('GET', address)).status).toBe(200);
    await remove(second.identifier);
    await runScheduled();
    await eventually(async () => (await send('GET', address)).status === 404);
    expect(await storedKeys(`images/${address.split('/').at(-1)}`)).toEqual([]);
    await outside.close();
  });

  test('does not affect photos of 50 simultaneous creates with the same photo', async () => {
    const picture = Buffer.concat([
      readFileSync('scripts/demo/images/lindhof-icon.png'),
      Buffer.from(markersOf().name),
    ]);
    const outside = await openOutsideServer(() => ({ body: picture }));
    const photo = { urlToThumbnail: `${outside.origin}/photo.png` };
    const { identifier } = await create(photo);
    const [made] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, () => create(photo))),
      remove(identifier),
      runScheduled(),
    ]);
    await runScheduled();
    const address = `/images/${createHash('sha256').update(picture).digest('hex')}` as const;
    expect((await send('GET', address)).status).toBe(200);
    expect((await send('GET', made[49].passFileUri)).status).toBe(200);
    await outside.close();
  });

  test('of a deleted template is erased, too', async () => {
    const markers = markersOf();
    const own = await freshAccount();
    const template = await own.createTemplate(TEMPLATE);
    const { identifier: id } = await own.createPass(template, fieldsOf(markers));
    const scanner = await createConfiguration(own);
    await scan(own, scanner, markers.barcode);
    expect((await own.delete(`/api/pass-template/${template}`)).status).toBe(200);
    await nextRound(id);
    expect(await remainsOf(Object.values(markers), START)).toEqual([]);
  });
});
