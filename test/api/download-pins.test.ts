import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../support/api.ts';
import { d1 } from '../support/control.ts';

const HINT = 'must have 4 to 64 characters, for example 4711';

let client: Client;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({ downloadPinEnabled: true });
});

const pinOf = async (id: string) => (await client.get(`/api/v3/pass/${id}`)).body.data.downloadPin;
/** Each way to write a pass, returning its error. */
const WRITES: Record<string, (id: string, downloadPin: unknown) => Promise<Reply>> = {
  'v1 create': (_, downloadPin) => client.post(`/api/pass?passtemplate=${templateId}`, { downloadPin }),
  'v1 update': (id, downloadPin) => client.post(`/api/pass/${id}`, { downloadPin }),
  'v3 create': (_, downloadPin) => client.post('/api/v3/pass', { data: { templateId, downloadPin } }),
  'v3 replace': (id, downloadPin) => client.post(`/api/v3/pass/${id}`, { data: { downloadPin } }),
  'v3 update': (id, downloadPin) => client.patch(`/api/v3/pass/${id}`, { data: { downloadPin } }),
};

describe.each(Object.keys(WRITES))('a PIN in a %s', (name) => {
  const write = WRITES[name]!;

  test.each(['1', '123', '  12  ', '    ', 123, '😀😀😀', 'x'.repeat(65)])('is rejected: %j', async (pin) => {
    const { identifier } = await client.createPass(templateId, { downloadPin: 'before' });
    const reply = await write(identifier, pin);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain('downloadPin');
    expect(JSON.stringify(reply.body)).toContain(HINT);
    expect(await pinOf(identifier)).toBe('before');
  });

  test.each(['4711', 4711, '😀😀😀😀', 'x'.repeat(64), '', null])('is accepted: %j', async (pin) => {
    const { identifier } = await client.createPass(templateId, { downloadPin: 'before' });
    const reply = await write(identifier, pin);
    expect([200, 201]).toContain(reply.status);
    const id = name.includes('create') ? (reply.body.data ?? reply.body).identifier : identifier;
    expect(await pinOf(id)).toBe(pin ? String(pin) : null);
  });
});

describe('a PIN from before the rule', () => {
  async function passWith(pin: string): Promise<string> {
    const { identifier } = await client.createPass(templateId, { downloadPin: 'before' });
    await d1('update passes set download_pin = ? where id = ?', [pin, identifier]);
    return identifier;
  }

  test('stays when it is sent back, and still opens the page', async () => {
    const id = await passWith('7');
    const { data } = (await client.get(`/api/v3/pass/${id}`)).body;
    expect((await client.post(`/api/v3/pass/${id}`, { data })).status).toBe(200);
    expect((await client.patch(`/api/v3/pass/${id}`, { data: { downloadPin: '7', storedValue: 3 } })).status).toBe(200);
    expect((await client.post(`/api/pass/${id}`, { downloadPin: '7' })).status).toBe(200);
    expect(await pinOf(id)).toBe('7');
    const path = new URL(data.downloadPage).pathname as `/${string}`;
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await send('POST', path, 'pin=7', form)).status).toBe(303);
  });

  test('can only be replaced by longer ones', async () => {
    const id = await passWith('7');
    expect((await client.patch(`/api/v3/pass/${id}`, { data: { downloadPin: '8' } })).status).toBe(400);
    expect((await client.patch(`/api/v3/pass/${id}`, { data: { downloadPin: '8888' } })).status).toBe(200);
    expect((await client.patch(`/api/v3/pass/${id}`, { data: { downloadPin: '7' } })).status).toBe(400);
  });
});

test('a bulk create names the pass whose PIN is too short', async () => {
  const passes = [{ downloadPin: '4711' }, { downloadPin: '47' }];
  const reply = await client.post('/api/v3/pass/bulk/create', { templateId, passes, dryRun: true });
  expect(JSON.stringify(reply.body)).toContain(HINT);
});

describe('a template that allows no PINs', () => {
  const DROPPED = 'not stored: downloadPin (the template needs downloadPinEnabled)';

  test('stores none, and the reply says so', async () => {
    const open = await client.createTemplate();
    const created = await client.post('/api/v3/pass', { data: { templateId: open, downloadPin: '4711' } });
    expect([created.status, created.body.description]).toEqual([200, `Pass created; ${DROPPED}`]);
    const { identifier } = created.body.data;
    expect(await pinOf(identifier)).toBeNull();
    for (const method of ['patch', 'post'] as const) {
      const { status, body } = await client[method](`/api/v3/pass/${identifier}`, { data: { downloadPin: '4711' } });
      expect([status, body.description]).toEqual([200, `Pass updated; ${DROPPED}`]);
    }
    const cleared = await client.patch(`/api/v3/pass/${identifier}`, { data: { downloadPin: '' } });
    expect(cleared.body.description).toBe('Pass updated');
  });

  test('is named together with other fields that it does not use', async () => {
    const open = await client.createTemplate({ type: 'eventTicket' });
    const data = { templateId: open, downloadPin: '4711', groupingIdentifier: 'tour' };
    const { body } = await client.post('/api/v3/pass', { data });
    const grouping = 'groupingIdentifier (the template needs groupingIdentifierEnabled)';
    expect(body.description).toBe(`Pass created; ${DROPPED}, ${grouping}`);
  });
});

test('a PIN that is stored is not mentioned', async () => {
  const { body } = await client.post('/api/v3/pass', { data: { templateId, downloadPin: '4711' } });
  expect(body.description).toBe('Pass created');
});
