import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';
import { type Assistant, assistantOf } from '../support/mcp.ts';
import { heldPass, pushed } from '../support/pushes.ts';
import { SAMPLE_FLIGHT } from '../support/samples.ts';

/* Tools for templates and passes: their results, and the errors of failed calls. */

const UNKNOWN = '01980b5e-4a30-7a52-9c11-0242ac120002';

let client: Client;
let assistant: Assistant;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  assistant = await assistantOf(client);
  templateId = await client.createTemplate();
});

const works: Assistant['works'] = (...call) => assistant.works(...call);
const fails: Assistant['fails'] = (...call) => assistant.fails(...call);
const newPass = (data: object = {}) => works('create_pass', { data: { templateId, ...data } });
const read = async (id: string) =>
  (await client.get(`/api/v3/pass/${id}?formatKeyAdditionalProperties=name`)).body.data;

describe('list_templates', () => {
  test('shows identifiers and names, one page at a time', async () => {
    const other = await freshAccount();
    const names = ['First', 'Second', 'Third'];
    for (const name of names) await other.createTemplate({ name });
    const { call } = await assistantOf(other);
    const first = (await call('list_templates', { pageSize: 2 })).value;
    expect(first).toEqual({
      templates: [
        { identifier: expect.any(String), name: 'First' },
        { identifier: expect.any(String), name: 'Second' },
      ],
      total: 3,
      next: 2,
    });
    const second = (await call('list_templates', { pageSize: 2, start: first.next })).value;
    expect(second).toMatchObject({ templates: [{ name: 'Third' }], next: null });
  });

  test('rejects an unknown argument, and a size beyond the limit', async () => {
    await fails('list_templates', { search: 'x' }, /search/);
    await fails('list_templates', { pageSize: 101 }, /^pageSize: must be at most 100/);
  });
});

describe('describe_template', () => {
  test('shows the fields of a pass', async () => {
    expect(await works('describe_template', { id: templateId })).toMatchObject({
      identifier: templateId,
      name: 'Membership',
      type: 'generic',
      barcodeFormat: 'qr',
      fields: expect.arrayContaining([{ key: 'storedValue', label: 'Stored value', required: false }]),
      additionalProperties: [
        { id: expect.stringMatching(/^[0-9a-f]{13}\.\d{8}$/), name: 'Full name', type: 'text', required: false },
        { name: 'Level', type: 'text', default: 'Basic' },
      ],
    });
  });

  test('shows the fields of a flight, of which eight are required', async () => {
    const id = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const { fields } = await works('describe_template', { id });
    const required = fields.filter((field: { required: boolean }) => field.required);
    expect(required.map(({ key }: { key: string }) => key).sort()).toEqual(Object.keys(SAMPLE_FLIGHT).sort());
  });

  test('suggests list_templates if the template is unknown', async () => {
    await fails('describe_template', { id: UNKNOWN }, /^Object not found/, /list_templates/);
    await fails('describe_template', {}, /^id: is required/);
  });
});

describe('create_pass', () => {
  test('returns the links of the pass, with additional properties by name', async () => {
    const pass = await newPass({ 'Full name': 'Ada', storedValue: 3, expirationDate: '2027-01-31 23:59' });
    const stored = await read(pass.identifier);
    expect(pass).toEqual({
      identifier: stored.identifier,
      downloadPage: stored.downloadPage,
      passFileUri: stored.passFileUri,
      barcodeValue: stored.barcodeValue,
      genericProperties: { 'Full name': 'Ada', Level: 'Basic' },
    });
    expect(stored).toMatchObject({ storedValue: 3, expirationDate: '2027-01-31 23:59:00' });
  });

  test('names the invalid field, and stores nothing', async () => {
    const count = async () => (await works('search_passes', { templateId })).resultsTotal;
    const before = await count();
    const bad = { templateId, expirationDate: 'tomorrow' };
    await fails('create_pass', { data: bad }, /^data\.expirationDate: /, /describe_template/, /call create_pass again/);
    await fails('create_pass', {}, /^data: is required/);
    await fails('create_pass', { data: { templateId: UNKNOWN } }, /list_templates/);
    expect(await count()).toBe(before);
  });

  test('with the same idempotencyKey creates one pass', async () => {
    const args = { data: { templateId }, idempotencyKey: 'order-1' };
    const [first, second] = [await works('create_pass', args), await works('create_pass', args)];
    expect(second).toEqual(first);
    await fails('create_pass', { ...args, data: { templateId, storedValue: 1 } }, /Idempotency-Key/);
  });
});

describe('create_pass 50 times at once', () => {
  test('with one idempotencyKey creates one pass, and asks calls that are too early to retry', async () => {
    const args = { data: { templateId, userProvidedId: 'raced' }, idempotencyKey: 'race' };
    const calls = await Promise.all(Array.from({ length: 50 }, () => assistant.call('create_pass', args)));
    const created = new Set(calls.filter(({ isError }) => !isError).map(({ value }) => value.identifier));
    expect(created.size).toBe(1);
    for (const { isError, text } of calls) if (isError) expect(text).toMatch(/Call create_pass again in a moment\.$/);
    expect((await works('search_passes', { searchPhrase: 'raced' })).resultsTotal).toBe(1);
  });
});

describe('read_pass', () => {
  test('shows state, values and link, without empty members', async () => {
    const { identifier } = await newPass({
      userProvidedId: 'reads-1',
      'Full name': 'Grace',
      emailRecipient: 'g@x.example',
    });
    const shown = await works('read_pass', { id: 'reads-1' });
    expect(shown).toMatchObject({
      identifier,
      templateId,
      passTemplateName: 'Membership',
      voided: false,
      numberOfActive: 0,
      emailRecipient: 'g@x.example',
      genericProperties: { 'Full name': 'Grace', Level: 'Basic' },
    });
    for (const absent of ['storedValue', 'downloadPin', 'locations', 'flight', 'walletSaveUri'])
      expect(shown).not.toHaveProperty(absent);
  });

  test('shows the flight of a boarding pass', async () => {
    const template = await client.createTemplate({ type: 'boardingPass', transitType: 'PKTransitTypeAir' });
    const { identifier } = await works('create_pass', { data: { templateId: template, ...SAMPLE_FLIGHT } });
    expect((await works('read_pass', { id: identifier })).flight).toMatchObject(SAMPLE_FLIGHT);
  });

  test.each([UNKNOWN, '..', 'a/b?c#d', ' '])('suggests search_passes if the pass is unknown (%j)', async (id) => {
    await fails('read_pass', { id }, /^Object not found/, /search_passes/);
  });
});

describe('update_pass', () => {
  test('changes what is sent, and null clears', async () => {
    const { identifier } = await newPass({ storedValue: 5, groupingIdentifier: 'g', 'Full name': 'Ada' });
    const changed = await works('update_pass', { id: identifier, data: { storedValue: null, Level: 'Gold' } });
    expect(changed).toMatchObject({ identifier, genericProperties: { 'Full name': 'Ada', Level: 'Gold' } });
    expect(await read(identifier)).toMatchObject({ storedValue: null, Level: 'Gold' });
  });

  test('names the invalid field, and the unknown pass', async () => {
    const { identifier } = await newPass();
    await fails('update_pass', { id: identifier, data: { storedValue: 'much' } }, /^data\.storedValue: /);
    await fails('update_pass', { id: UNKNOWN, data: {} }, /search_passes/);
    await fails('update_pass', { id: identifier }, /^data: is required/);
  });
});

describe('void_pass', () => {
  test('voids, and restores with voided: false', async () => {
    const { identifier } = await newPass();
    expect(await works('void_pass', { id: identifier })).toEqual({ id: identifier, voided: true });
    expect((await read(identifier)).voided).toBe(true);
    expect(await works('void_pass', { id: identifier, voided: false })).toEqual({ id: identifier, voided: false });
    expect((await read(identifier)).voided).toBe(false);
  });

  test('50 times at once is one change with one event', async () => {
    const { identifier } = await newPass();
    const calls = Array.from({ length: 50 }, () => works('void_pass', { id: identifier }));
    expect(new Set((await Promise.all(calls)).map(({ voided }) => voided))).toEqual(new Set([true]));
    const { entries } = await works('pass_timeline', { id: identifier });
    expect(entries.filter(({ changes = [] }: { changes?: string[] }) => changes.includes('voided=true'))).toHaveLength(
      1,
    );
  });

  test('suggests search_passes if the pass is unknown', async () => {
    await fails('void_pass', { id: UNKNOWN }, /search_passes/);
    await fails('void_pass', { id: UNKNOWN, voided: 'yes' }, /^voided: must be true or false/);
  });
});

describe('search_passes', () => {
  test('finds by phrase and condition, shows the requested fields, and continues', async () => {
    for (const name of ['Lin A', 'Lin B', 'Lin C']) await newPass({ 'Full name': name, groupingIdentifier: 'lin' });
    const groups = [[{ field: 'voided', operator: 'isFalse' }]];
    const args = { searchPhrase: 'lin ', templateId, groups, fields: ['Full name'], pageSize: 2 };
    const first = await works('search_passes', args);
    expect(first).toMatchObject({ resultsTotal: 3, next: { startUid: first.passes[1].identifier } });
    expect(Object.keys(first.passes[0]).sort()).toEqual(['Full name', 'identifier']);
    const second = await works('search_passes', { ...args, ...first.next });
    expect(second.next).toBeNull();
    const names = [...first.passes, ...second.passes].map((pass) => pass['Full name']);
    expect(names.sort()).toEqual(['Lin A', 'Lin B', 'Lin C']);
  });

  test('treats null like a missing argument', async () => {
    const args = { searchPhrase: null, templateId, groups: null, pageSize: 1, fields: null, startUid: null };
    expect((await works('search_passes', args)).passes).toHaveLength(1);
  });

  test('shows rows of a few members by default', async () => {
    const [row] = (await works('search_passes', { pageSize: 1 })).passes;
    expect(Object.keys(row).length).toBeLessThan(10);
    expect(JSON.stringify(row).length).toBeLessThan(400);
  });

  test('names the invalid condition or member', async () => {
    const groups = [[{ field: 'voided', operator: 'is' }]];
    await fails('search_passes', { groups }, /operator/, /"operator": "isFalse"/);
    await fails('search_passes', { fields: ['Nothing'] }, /Nothing/);
    await fails('search_passes', { templateId: UNKNOWN }, /list_templates/);
  });
});

describe('pass_timeline', () => {
  test('shows who changed what, newest first', async () => {
    const { identifier } = await newPass();
    await works('update_pass', { id: identifier, data: { storedValue: 2 } });
    const { entries } = await works('pass_timeline', { id: identifier });
    expect(entries[0]).toMatchObject({ type: 'changed', actor: expect.any(String), changes: ['storedValue'] });
    expect(entries.at(-1)).toMatchObject({ type: 'created' });
    const { entries: older } = await works('pass_timeline', { id: identifier, startUid: entries[0].id, pageSize: 1 });
    expect(older).toEqual([entries[1]]);
  });

  test('names the error', async () => {
    await fails('pass_timeline', { id: UNKNOWN }, /search_passes/);
    await fails('pass_timeline', { id: UNKNOWN, startUid: 'x' }, /^startUid: /);
  });
});

describe('send_push', () => {
  test('reaches the phone, and reports that the same text is not sent again', async () => {
    const { pass, device } = await heldPass(client, templateId);
    const args = { id: pass.identifier, pushNotificationText: 'Doors open at 18:30' };
    expect(await works('send_push', args)).toEqual({ id: pass.identifier, sent: true });
    expect(await pushed(device)).toMatchObject([{ text: 'Doors open at 18:30', passId: pass.identifier }]);
    expect(await works('send_push', args)).toEqual({ id: pass.identifier, sent: false });
  });

  test('to a pass that no device has suggests sending the link', async () => {
    const { identifier } = await newPass();
    await fails('send_push', { id: identifier, pushNotificationText: 'Hello' }, /no device has it/, /downloadPage/);
    await fails('send_push', { id: identifier }, /^pushNotificationText: is required/);
    await fails('send_push', { id: UNKNOWN, pushNotificationText: 'Hello' }, /search_passes/);
  });
});

describe('a change through a tool', () => {
  test('is logged with the key as the actor, like any other API request', async () => {
    const { identifier } = await newPass();
    await works('void_pass', { id: identifier });
    const [key] = await d1<{ name: string }>('select name from api_keys where account_id = ?', [client.accountId]);
    const { entries } = await eventually(async () => {
      const value = await works('pass_timeline', { id: identifier });
      return value.entries.length > 1 ? value : undefined;
    });
    expect(entries[0].actor).toBe(key!.name);
  });
});
