import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * One in twenty round trips to D1 fails with an error documented as transient, before or after its commit. No caller
 * notices.
 */

const ONE_IN = 20;
/** Concurrent requests. */
const SIDE_BY_SIDE = 10;

let service: ServiceInProcess;
let templateId: string;

beforeEach(async () => {
  service = await new ServiceInProcess({ d1OneIn: ONE_IN }).open();
  templateId = await newTemplate();
});
afterEach(() => {
  // A test without failures would prove nothing.
  expect(service.d1Faults!.failed).toBeGreaterThan(service.d1Faults!.roundTrips / ONE_IN / 2);
  service.close();
});

const newTemplate = async (fields: Parameters<typeof sampleTemplate>[0] = {}): Promise<string> =>
  (await done('POST', '/api/v2/pass-template', sampleTemplate(fields))).data.identifier;
const newPass = async (fields: object = {}): Promise<string> =>
  (await done('POST', '/api/v3/pass', { data: { templateId, ...fields } })).data.identifier;
const count = (sql: string) => service.count(sql, [service.accountId]);

/** Sends a request that must succeed, and returns the reply's body. */
async function done(method: string, path: string, body?: object, headers?: Record<string, string>) {
  const reply = await service.request(method, path, body, headers);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Does something this many times, partly concurrently. Returns the results in order. */
async function times<T>(number: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < number; i += SIDE_BY_SIDE) {
    const length = Math.min(SIDE_BY_SIDE, number - i);
    results.push(...(await Promise.all(Array.from({ length }, (_, k) => work(i + k)))));
  }
  return results;
}

/** Returns the number of events of a type, and of their passes. */
const eventsOf = async (type: string) => {
  const [row] = await service.rows<{ events: number; passes: number }>(
    'select count(*) as events, count(distinct pass_id) as passes from account_events where type = ? and account_id = ?',
    [type, service.accountId],
  );
  return row;
};

describe('under random faults of D1', () => {
  test('1,000 changes: 1,000 applied, 1,000 events, 0 duplicates', async () => {
    const ids = await times(100, () => newPass());
    service.begin();
    for (let value = 1; value <= 10; value++) {
      await times(100, (i) => done('PATCH', `/api/v3/pass/${ids[i]}`, { data: { storedValue: value } }));
    }
    service.end();
    expect(
      await service.rows('select version, stored_value as value, count(*) as passes from passes group by 1, 2'),
    ).toEqual([{ version: 11, value: 10, passes: 100 }]);
    expect(await eventsOf('pass_updated')).toEqual({ events: 1_000, passes: 100 });
  });

  test('500 creates: 500 passes, 500 events, 500 counted, 0 duplicates', async () => {
    service.begin();
    const ids = await times(500, (i) => newPass({ userProvidedId: `name ${i}`, enforceUniqueUserProvidedId: true }));
    service.end();
    expect(new Set(ids).size).toBe(500);
    expect(await count('select count(*) from passes where account_id = ?')).toBe(500);
    expect(await eventsOf('pass_created')).toEqual({ events: 500, passes: 500 });
    expect(await count('select pass_count from templates where account_id = ?')).toBe(500);
  });

  test('300 requests, each sent again with its Idempotency-Key: 300 passes, 300 times the same reply', async () => {
    service.begin();
    const replies = await times(300, async (i) => {
      const send = () => done('POST', '/api/v3/pass', { data: { templateId } }, { 'Idempotency-Key': `key ${i}` });
      return [await send(), await send()];
    });
    service.end();
    expect(replies.filter(([first, second]) => first.data.identifier === second.data.identifier)).toHaveLength(300);
    expect(await count('select count(*) from passes where account_id = ?')).toBe(300);
    expect(await eventsOf('pass_created')).toEqual({ events: 300, passes: 300 });
  });

  test('300 scans of 100 passes that are valid once: 300 recorded, 100 accepted, 100 voided, 100 events', async () => {
    const ids = await times(100, () => newPass());
    const { configuration } = await done('POST', '/api/appconfiguration', { name: 'Entrance', scanMode: 0 });
    const appConfigurationId = configuration[0].configurationId;
    const barcodes = await service.rows<{ value: string }>('select barcode_value as value from passes');
    service.begin();
    const scans = await times(300, (i) => {
      const scannedBarcodeValue = barcodes[i % ids.length]!.value;
      return done('POST', '/api/appscan', { appConfigurationId, scannedBarcodeValue });
    });
    service.end();
    expect(scans).toHaveLength(300);
    expect(await count('select count(*) from app_scans where account_id = ?')).toBe(300);
    expect(await count("select count(*) from app_scans where account_id = ? and reason = 'accepted'")).toBe(100);
    expect(await count('select count(*) from passes where account_id = ? and voided')).toBe(100);
    expect(await eventsOf('pass_voided')).toEqual({ events: 100, passes: 100 });
  });

  test('220 deletions of passes, segments and webhooks: 220 succeed, 0 are answered as not found', async () => {
    const passes = await times(100, () => newPass());
    const segments = await times(100, () => done('POST', '/api/v3/segment', { title: 'Some', query: { templateId } }));
    const hook = { target_url: 'https://hooks.example.com/', event: 'pass_updated' };
    const hooks = await times(20, (i) =>
      done('POST', '/api/hook/subscribe', { ...hook, target_url: `https://hooks.example.com/${i}` }, REPRESENTED),
    );
    service.begin();
    await times(100, (i) => done('DELETE', `/api/v3/pass/${passes[i]}`));
    await times(100, (i) => done('DELETE', `/api/v3/segment/${segments[i].data.identifier}`));
    await times(20, (i) => done('DELETE', `/api/hook/${hooks[i].identifier}`));
    service.end();
    expect(await count('select count(*) from passes where account_id = ?')).toBe(0);
    expect(await count('select pass_count from templates where account_id = ?')).toBe(0);
    expect(await eventsOf('pass_deleted')).toEqual({ events: 100, passes: 100 });
    const entries =
      "select count(*) from audit_entries where account_id = ? and action in ('segment.delete', 'webhook.delete')";
    expect(await count(entries)).toBe(120);
  });

  test('every other kind of write, 20 times: 20 results, 0 failures', async () => {
    const pass = await newPass();
    const path = `/api/v3/pass/${pass}`;
    const scanner = (await done('POST', '/api/appconfiguration', { name: 'Door', scanMode: 0 })).configuration[0];
    const configuration = `/api/appconfiguration/${scanner.configurationId}`;
    const hook = await done('POST', '/api/hook/subscribe', TARGET, REPRESENTED);
    service.begin();
    await times(20, async (i) => {
      const { identifier: copy } = await done('POST', `/api/pass-template/copy/${templateId}`, { name: `Copy ${i}` });
      await done('PATCH', `/api/v2/pass-template/${copy}`, { additionalProperties: [{ name: `Extra ${i}` }] });
      await done('POST', `/api/v2/pass-template/${copy}/publish`, {});
      await done('DELETE', `/api/pass-template/${copy}`);
    });
    await times(20, (i) => done('POST', '/api/v3/project', { name: `Project ${i}` }));
    await times(20, (i) => done('POST', '/api/customer', { company_name: `Sub ${i}`, last_name: 'Lovelace' }));
    await times(20, async () => {
      const { identifier } = await done('POST', `${configuration}/link`, {});
      await done('DELETE', `${configuration}/link/${identifier}`);
    });
    await times(20, async (i) => {
      const members = [await newPass(), await newPass()];
      await done('POST', `/api/v2/pass-bundle/bundle-${i}`, { passes: members });
      await done('PUT', `/api/v2/pass-bundle/void/bundle-${i}`, { voided: true });
      await done('DELETE', `/api/v2/pass-bundle/bundle-${i}`);
    });
    for (let i = 0; i < 20; i++) await done('PUT', configuration, { name: `Door ${i}`, scanMode: 0 });
    await times(20, () => done('POST', `/api/pass/${pass}/enabledownload`, {}));
    for (let i = 0; i < 20; i++) await done('POST', `${path}/rotate-links`, {});
    for (let i = 0; i < 20; i++) await done('POST', `/api/hook/${hook.identifier}/secret/rotate`, {});
    service.end();
    expect(await count('select count(*) from projects where account_id = ?')).toBe(20);
    expect(await count('select count(*) from templates where account_id = ?')).toBe(1);
    expect(await service.count('select count(*) from accounts where parent_account_id = ?', [service.accountId])).toBe(
      20,
    );
    expect(await eventsOf('pass_voided')).toEqual({ events: 40, passes: 40 });
    const entries = await service.rows<{ action: string; entries: number }>(
      'select action, count(*) as entries from audit_entries where account_id = ? group by 1',
      [service.accountId],
    );
    const counts = Object.fromEntries(entries.map(({ action, entries: number }) => [action, number]));
    expect(counts).toMatchObject(Object.fromEntries(WRITTEN.map((action) => [action, 20])));
  });
});

const REPRESENTED = { Prefer: 'return=representation' };
const TARGET = { target_url: 'https://hooks.example.com/', event: 'pass_updated' };
/** The audit log entries of each of those writes. */
const WRITTEN = [
  'template.copy',
  'template.update',
  'template.publish',
  'template.delete',
  'project.create',
  'app_configuration.change',
  'app_configuration_link.create',
  'app_configuration_link.end',
  'bundle.create',
  'bundle.void',
  'bundle.dissolve',
  'webhook.rotate_secret',
];
