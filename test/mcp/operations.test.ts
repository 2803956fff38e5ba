import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { createConfiguration } from '../support/app-scans.ts';
import { d1, eventually } from '../support/control.ts';
import { type Assistant, assistantOf } from '../support/mcp.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { deliveriesWhen, subscribed } from '../support/webhooks.ts';

/* Tools for scans, bulk changes and webhooks: their results, and the errors of failed calls. */

const UNKNOWN = '01980b5e-4a30-7a52-9c11-0242ac120002';

let client: Client;
let assistant: Assistant;
let templateId: string;
let configurationId: string;

beforeAll(async () => {
  client = await freshAccount();
  assistant = await assistantOf(client);
  templateId = await client.createTemplate();
  ({ configurationId } = await createConfiguration(client, { name: 'North gate' }));
});

const works: Assistant['works'] = (...call) => assistant.works(...call);
const fails: Assistant['fails'] = (...call) => assistant.fails(...call);

describe('record_scan', () => {
  const scan = (more: object) => works('record_scan', { appConfigurationId: configurationId, ...more });

  test('accepts a pass once, and explains why it rejects it afterwards', async () => {
    const { identifier, barcodeValue } = await client.createPass(templateId);
    expect(await scan({ scannedBarcodeValue: barcodeValue, deviceName: 'Desk' })).toEqual({
      appScanId: expect.any(String),
      outcome: 'accepted',
      scanStatus: 0,
      passId: identifier,
    });
    const again = await scan({ passId: identifier });
    expect(again).toMatchObject({ outcome: 'rejected', scanStatus: 1, validityReason: 'voided' });
    expect(await scan({ passId: UNKNOWN })).toMatchObject({ outcome: 'not found', validityReason: 'not_found' });
    expect(await scan({ passId: identifier, scanStatus: 7 })).toMatchObject({ outcome: 'recorded', scanStatus: 7 });
  });

  test('with the same idempotencyKey records one scan', async () => {
    const { identifier } = await client.createPass(templateId);
    const args = { passId: identifier, idempotencyKey: 'scan-1' };
    expect(await scan(args)).toEqual(await scan(args));
  });

  test.each([undefined, UNKNOWN, '..'])('at %s offers the app configurations', async (appConfigurationId) => {
    const offer = new RegExp(`North gate: ${configurationId}`);
    await fails('record_scan', { appConfigurationId, passId: UNKNOWN }, offer);
    await fails('list_scans', { appConfigurationId }, offer);
  });

  test('without a pass names what is missing', async () => {
    await fails('record_scan', { appConfigurationId: configurationId }, /^scannedBarcodeValue: is required/);
    await fails(
      'record_scan',
      { appConfigurationId: configurationId, passId: UNKNOWN, createdOn: 'now' },
      /^createdOn: /,
    );
  });

  test('says where to create an app configuration if there is none', async () => {
    const { fails: failsThere } = await assistantOf(await freshAccount());
    await failsThere('record_scan', {}, /Create one in the console/);
  });
});

describe('list_scans', () => {
  test('shows the scans of a configuration, and continues', async () => {
    const gate = await createConfiguration(client, { scanMode: 1 });
    const { identifier } = await client.createPass(templateId, { userProvidedId: 'scanned' });
    for (let scans = 0; scans < 3; scans++)
      await works('record_scan', { appConfigurationId: gate.configurationId, passId: identifier });
    const args = { appConfigurationId: gate.configurationId, pageSize: 2 };
    const first = await works('list_scans', args);
    expect(first).toMatchObject({ total: 3, next: { lastIdOfPriorPage: first.scans[1].appScanId } });
    expect(first.scans[0]).toEqual({
      appScanId: expect.any(String),
      outcome: 'accepted',
      scanStatus: 2,
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      passId: identifier,
      passUserProvidedId: 'scanned',
      passTemplateName: 'Membership',
    });
    const second = await works('list_scans', { ...args, ...first.next });
    expect([second.scans.length, second.next]).toEqual([1, null]);
  });
});

describe('bulk_update', () => {
  async function crowd(count: number): Promise<string> {
    const template = await client.createTemplate();
    for (let passes = 0; passes < count; passes++)
      await client.createPass(template, { userProvidedId: `${template}-${passes}` });
    return template;
  }
  const values = (template: string) =>
    d1<{ value: number | null }>('select stored_value as value from passes where template_id = ?', [template]);

  test('changes nothing unless dryRun is false; then process_status follows it to its end', async () => {
    const template = await crowd(3);
    const change = { data: { storedValue: 7 }, filter: { query: { templateId: template } } };
    expect(await works('bulk_update', change)).toEqual({
      dryRun: true,
      count: 3,
      checked: 3,
      errors: {},
      errorsTotal: 0,
    });
    expect((await values(template)).map(({ value }) => value)).toEqual([null, null, null]);
    const { processId, ...started } = await works('bulk_update', { ...change, dryRun: false });
    expect(started).toEqual({ dryRun: false, count: 3 });
    const state = await eventually(async () => {
      const status = await works('process_status', { id: processId });
      return status.status === 'in progress' ? undefined : status;
    });
    expect(state).toMatchObject({ identifier: processId, status: 'finished', current: 3, total: 3, errorsTotal: 0 });
    expect((await values(template)).map(({ value }) => value)).toEqual([7, 7, 7]);
  });

  test('shows the first of many errors and their number', async () => {
    const template = await crowd(25);
    const passes = Array.from({ length: 25 }, (_, i) => ({
      identifier: `${template}-${i}`,
      data: { expirationDate: '?' },
    }));
    const { errors, ...dry } = await works('bulk_update', { passes });
    expect(dry).toEqual({ dryRun: true, count: 25, checked: 25, errorsTotal: 25 });
    expect(Object.keys(errors)).toHaveLength(20);
    expect(Object.values(errors)[0]).toMatch(/^expirationDate: /);
  });

  test('names what is wrong', async () => {
    await fails('bulk_update', { data: {} }, /^filter: is required/, /"filter"/);
    await fails('bulk_update', { data: {}, filter: {} }, /exactly one of identifiers, query, segmentId/);
    await fails('bulk_update', { data: {}, filter: { segmentId: UNKNOWN } }, /search_passes/);
    await fails('bulk_update', { data: {}, filter: { all: true } }, /^filter.*all/);
    await fails('process_status', { id: UNKNOWN }, /^Process not found|^Object not found/, /bulk_update/);
  });
});

describe('webhook_health', () => {
  let outside: OutsideServer;
  beforeAll(async () => {
    outside = await openOutsideServer(({ path }) => ({ status: path.startsWith('/bad') ? 500 : 200 }));
  });
  afterAll(() => outside.close());

  test('shows the worst first, with the last delivery and without secrets in URLs', async () => {
    const owner = await freshAccount();
    const there = await assistantOf(owner);
    expect(await there.works('webhook_health')).toEqual({ subscriptions: [], total: 0, problems: 0, next: null });
    const good = await subscribed(owner, `${outside.origin}/good?token=secret`);
    const bad = await subscribed(owner, `${outside.origin}/bad`);
    const idle = await subscribed(owner, `${outside.origin}/idle`, { event: 'pass_deleted' });
    const paused = await subscribed(owner, `${outside.origin}/paused`, { event: 'pass_updated' });
    await d1("update webhook_subscriptions set status = 'paused' where id = ?", [paused.identifier]);
    await owner.createPass(await owner.createTemplate());
    await deliveriesWhen(owner, good.identifier, ([first]) => first?.state === 'delivered');
    await deliveriesWhen(owner, bad.identifier, ([first]) => (first?.attempts.length ?? 0) > 0);
    const { subscriptions, ...counts } = await there.works('webhook_health');
    expect(counts).toEqual({ total: 4, problems: 2, next: null });
    expect(subscriptions).toMatchObject([
      { identifier: paused.identifier, health: 'paused' },
      { identifier: bad.identifier, health: 'failing', lastOutcome: 'status_500', failingSince: expect.any(String) },
      { identifier: idle.identifier, health: 'waiting', delivered: 0, failed: 0 },
      { identifier: good.identifier, health: 'healthy', delivered: 1, target_url: `${outside.origin}/good` },
    ]);
    expect(JSON.stringify(subscriptions)).not.toContain('secret');
    const page = await there.works('webhook_health', { pageSize: 1, start: 3 });
    expect(page).toMatchObject({ subscriptions: [{ health: 'healthy' }], total: 4, next: null });
  });

  test('rejects an unknown argument', async () => {
    await fails('webhook_health', { id: UNKNOWN }, /id/);
  });
});
