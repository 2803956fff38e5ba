import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { EVENT_TYPES } from '../../../src/domain/events/catalog.ts';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { faultOf } from '../../support/event-check.ts';
import { keepValues } from '../../support/kept-values.ts';
import { ended } from '../../support/processes.ts';
import { Device } from '../../wallets/apple/web-service/device.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount({ timezone: 'Europe/Vienna' });
  await keepValues(d1, client.accountId);
});

describe('GET /api/v3/events', () => {
  let reply: Reply;
  beforeAll(async () => {
    reply = await client.get('/api/v3/events');
  });

  test('lists the catalog in the envelope, and reads only the key from the database', async () => {
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, errors: [], statusCode: 200, count: EVENT_TYPES.length });
    expect(reply.body.data.map(({ type }: { type: string }) => type)).toEqual(EVENT_TYPES);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBeLessThanOrEqual(1);
  });

  test('has a JSON Schema for each event, which its example matches and a body without a member does not', () => {
    for (const { type, schema, example } of reply.body.data) {
      const parsed = z.fromJSONSchema(schema);
      expect(parsed.safeParse(example).success, type).toBe(true);
      expect(parsed.safeParse({ ...example, signedData: '{}', signature: '00' }).success, type).toBe(true);
      const [first] = Object.keys(example);
      expect(parsed.safeParse({ ...example, [first!]: undefined }).success, type).toBe(false);
    }
  });
});

interface Recorded {
  type: string;
  pass_id: string | null;
  template_id: string | null;
  body: string;
}

const recorded = (accountId: string) =>
  d1<Recorded>('select type, pass_id, template_id, body from account_events where account_id = ? order by id', [
    accountId,
  ]);

describe('the bodies of recorded events', () => {
  test('match the catalog, whatever caused them', async () => {
    const templateId = await client.createTemplate();
    const pass = await client.createPass(templateId, {
      userProvidedId: 'one',
      'Full name': 'Ada “Countess” Lovelace',
    });
    const { identifier, barcodeValue } = pass;
    await client.patch(`/api/v3/pass/${identifier}`, { data: { storedValue: 3 } });
    await client.put(`/api/pass/${barcodeValue}`, { voided: true });
    await client.put(`/api/pass/${identifier}`, { voided: false });
    await client.post('/api/v2/pass-bundle', { bundleId: 'pair', passes: [identifier] });
    await client.patch(`/api/v2/pass-template/${templateId}`, { description: 'Changed' });
    const device = new Device();
    await device.register(pass);
    await device.unregister(pass);
    const bulk = { templateId, passes: [{ userProvidedId: 'two' }, {}] };
    await ended(client, await client.post('/api/v3/pass/bulk/create', bulk));
    const change = { data: { storedValue: 7 }, filter: { query: {} } };
    await ended(client, await client.patch('/api/v3/pass/bulk', change));
    await client.delete(`/api/pass/${identifier}`);

    const rows = await recorded(client.accountId);
    expect([...new Set(rows.map(({ type }) => type))].sort()).toEqual([
      'first_pushnotification_registered',
      'pass_created',
      'pass_deleted',
      'pass_template_created',
      'pass_template_updated',
      'pass_unvoided',
      'pass_updated',
      'pass_voided',
      'pushnotification_registered',
      'pushnotification_unregistered',
    ]);
    expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([]);
    for (const { type, pass_id, template_id, body } of rows) {
      const { identifier: named, passTemplateGuid, uniqueIdentifier } = JSON.parse(body);
      expect(template_id, type).toBe(templateId);
      expect(type.startsWith('pass_template') ? uniqueIdentifier : passTemplateGuid, type).toBe(templateId);
      expect(named ?? null, type).toBe(pass_id);
    }
  });

  test('fail the check if a member is missing, has another type, or is unknown', () => {
    const body = { uniqueIdentifier: crypto.randomUUID(), name: 'A', noOfActivePasses: 0, noOfCreatedPasses: 0 };
    const fault = (change: object) =>
      faultOf({ type: 'pass_template_created', body: JSON.stringify({ ...body, ...change }) });
    expect(fault({})).toBeUndefined();
    expect(fault({ name: undefined })).toContain('name');
    expect(fault({ noOfActivePasses: '0' })).toContain('noOfActivePasses');
    expect(fault({ secret: 1 })).toContain('secret');
    expect(faultOf({ type: 'pass_eaten', body: '{}' })).toBeTruthy();
  });
});
