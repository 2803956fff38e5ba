import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { OWN_FORM } from '../pages/console/browser-session.ts';
import { type Client, freshAccount, type Reply, send } from '../support/api.ts';
import { costOf, d1 } from '../support/control.ts';
import { createGate } from '../support/gate.ts';
import { authorizationOf, Device } from '../wallets/apple/web-service/device.ts';

/*
 * Limits by address, and by what an address asks for. Requests of the tests themselves are not counted, so each of these comes from an address of its own. A minute may end in between, after
 * which the counts begin anew: hence more requests than the limit.
 */

const { origin } = inject('worker');

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

let addresses = 0;
/** An address that nobody else has. */
const stranger = () => {
  addresses += 1;
  return { 'CF-Connecting-IP': `203.0.113.${addresses}` };
};

/** Asks again and again until it is refused with 429, at most `max` times; the replies up to then. */
async function untilRefused(
  max: number,
  ask: (i: number) => Promise<Reply>,
): Promise<{ before: Reply[]; refused: Reply }> {
  const before: Reply[] = [];
  for (let i = 0; i < max; i++) {
    const reply = await ask(i);
    if (reply.status === 429) {
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0);
      return { before, refused: reply };
    }
    before.push(reply);
  }
  throw new Error(`${max} requests were not refused: ${before.map(({ status }) => status)}`);
}
const statuses = (replies: Reply[]) => [...new Set(replies.map(({ status }) => status))];

describe('invalid keys', () => {
  const unknownKey = () => `pk_${randomUUID().replaceAll('-', '').slice(0, 16)}_${'x'.repeat(43)}`;
  const withKey = (Authorization: string, from: object) =>
    send('GET', '/api/v3/project', undefined, { Authorization, ...from });

  test('are refused before the database is asked, once their address has sent too many', async () => {
    await client.get('/api/v3/project');
    const from = stranger();
    const { before, refused } = await untilRefused(80, () => withKey(unknownKey(), from));
    expect(statuses(before)).toEqual([401]);
    expect(before.length).toBeGreaterThanOrEqual(30);
    expect((await costOf(refused)).roundTrips).toBe(0);
    expect(refused.body).toMatchObject({ success: false, errors: [expect.stringContaining('invalid API key')] });
    // Whoever has a good key and stands behind the same address goes on, and so do other addresses.
    expect((await withKey(client.apiKey, from)).status).toBe(200);
    expect((await withKey(unknownKey(), stranger())).status).toBe(401);
  });

  test.each(['', 'pk_short', 'Bearer nothing', `pk_${'x'.repeat(200)}`])(
    'of a wrong format, %o, never reach the database, and count',
    async (key) => {
      const from = stranger();
      const first = await withKey(key, from);
      expect([first.status, (await costOf(first)).roundTrips]).toEqual([401, 0]);
      expect(statuses((await untilRefused(80, () => withKey(key, from))).before)).toEqual([401]);
    },
  );
});

describe('devices', () => {
  const register = (device: Device, pass: Parameters<Device['register']>[0], from: object) => {
    const path = `/wallet/apple/v1/devices/${device.id}/registrations/${device.passTypeId}/${pass.identifier}` as const;
    return authorizationOf(pass).then((headers) =>
      send('POST', path, { pushToken: device.pushToken }, { ...headers, ...from }),
    );
  };

  test('that register for one pass are limited, whatever their addresses; other passes are not', async () => {
    const [pass, other] = [await client.createPass(templateId), await client.createPass(templateId)];
    const { before } = await untilRefused(80, () => register(new Device(), pass, stranger()));
    expect(statuses(before)).toEqual([201]);
    expect(before.length).toBeGreaterThanOrEqual(30);
    expect((await register(new Device(), other, stranger())).status).toBe(201);
  });

  test('of one pass are at most 500, and one that is known may come back', async () => {
    const pass = await client.createPass(templateId);
    const device = new Device();
    await device.register(pass);
    await device.unregister(pass);
    await d1('update passes set number_of_inactive = 500 where id = ?', [pass.identifier]);
    const refused = await new Device().register(pass);
    expect([refused.status, refused.body]).toEqual([403, 'The pass is on 500 devices, the maximum']);
    expect((await device.register(pass)).status).toBe(201);
  });
});

describe('scanner links', () => {
  test('slow an address that guesses codes, at this link', async () => {
    const [gate, other] = [await createGate(client), await createGate(client)];
    const pass = await client.createPass(templateId);
    const scan = (path: string, configurationId: string, value: string, from: object) => {
      const rest = { deviceName: null, properties: {}, storedValue: null, scannedAt: Date.now() };
      const body = { id: randomUUID(), configurationId, value, ...rest };
      return send('POST', `${path}/scans` as '/', body, { Origin: origin, ...from });
    };
    const from = stranger();
    const guess = (i: number) => scan(gate.path, gate.configurationId, `guess-${i}`, from);
    expect(statuses((await untilRefused(80, guess)).before)).toEqual([201]);
    expect((await scan(gate.path, gate.configurationId, pass.barcodeValue, from)).status).toBe(429);
    expect((await scan(gate.path, gate.configurationId, pass.barcodeValue, stranger())).status).toBe(201);
    expect((await scan(other.path, other.configurationId, 'guess', from)).status).toBe(201);
  });

  test('that do not exist count for the address that guesses them', async () => {
    const from = { ...stranger(), Accept: 'text/html' };
    const { before, refused } = await untilRefused(80, (i) => send('GET', `/scan/guess-${i}`, undefined, from));
    expect(statuses(before)).toEqual([404]);
    expect(refused.body).toContain('Too many requests');
  });
});

test('messages to the callback of Google Wallet that Google has not signed count for their address', async () => {
  const from = stranger();
  const { before } = await untilRefused(80, () => send('POST', '/wallet/google/callback', { signature: 'x' }, from));
  expect(before.every(({ status }) => [400, 401].includes(status))).toBe(true);
  expect((await send('POST', '/wallet/google/callback', {}, stranger())).status).toBe(400);
});

describe('mails with sign-in links', () => {
  const ask = (email: string, from: object = {}) =>
    send('POST', '/console/sign-in/link', `email=${encodeURIComponent(email)}`, { ...OWN_FORM, ...from });

  test('are limited for the address that asks', async () => {
    const from = stranger();
    const { before, refused } = await untilRefused(30, (i) => ask(`nobody-${i}-${randomUUID()}@example.com`, from));
    expect(statuses(before)).toEqual([200]);
    expect(refused.body).toContain('Too many requests');
  });

  test('are limited for the person, wherever they are asked for', async () => {
    const email = `nobody-${randomUUID()}@example.com`;
    expect(statuses((await untilRefused(30, () => ask(email, stranger()))).before)).toEqual([200]);
  });
});
