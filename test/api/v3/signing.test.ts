import { execFileSync } from 'node:child_process';
import { verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount, send } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import type { TemplateInput } from '../../support/samples.ts';
import { unzip } from '../../wallets/apple/tools.ts';

let client: Client;
beforeAll(async () => {
  client = await freshAccount();
});

const SIGNED: Partial<TemplateInput> = {
  fields: {
    secondaryFields: [
      { key: 'order', label: 'Order', value: '{sign({userProvidedId}-{Seat})}' },
      { key: 'code', label: 'Code', value: 'v1.{sign()}' },
      { key: 'strange', label: 'Strange', value: '{sign({nobody knows})}' },
    ],
  },
  additionalProperties: [{ name: 'Seat', type: 'text' }],
};

const keysOf = async (as: Client) => (await as.get('/api/v3/signing/publickey')).body.data;

const verifies = (text: string, signature: string, publicKey: string) =>
  verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'hex'));

/** Verifies a signature with `openssl` and returns its output. Throws if it is invalid. */
function opensslVerifies(text: string, signature: string, publicKey: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'signature-'));
  try {
    writeFileSync(join(folder, 'key.pem'), publicKey);
    writeFileSync(join(folder, 'text'), text);
    writeFileSync(join(folder, 'signature'), Buffer.from(signature, 'hex'));
    const parameters = ['dgst', '-sha256', '-verify', 'key.pem', '-signature', 'signature', 'text'];
    return execFileSync('openssl', parameters, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the values of the secondary fields, as the pass file shows them. */
async function shownValues(linkToPassFile: string): Promise<string[]> {
  const reply = await send('GET', linkToPassFile as '/');
  expect(reply.status).toBe(200);
  const pass = JSON.parse(unzip(reply.body).get('pass.json')!.toString());
  return pass.generic.secondaryFields.map(({ value }: { value: string }) => value);
}

describe('the public key', () => {
  test('is a PEM in the envelope, always the same, and different in each account', async () => {
    const reply = await client.get('/api/v3/signing/publickey');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ success: true, errors: [], statusCode: 200 });
    expect(reply.body.data.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\s\S]+-----END PUBLIC KEY-----\n$/);
    expect(await keysOf(client)).toEqual(reply.body.data);
    expect((await keysOf(await freshAccount())).publicKey).not.toBe(reply.body.data.publicKey);
  });

  test('is created once by 20 simultaneous first requests, and then costs two round trips', async () => {
    const fresh = await freshAccount();
    const keys = await Promise.all(Array.from({ length: 20 }, () => keysOf(fresh)));
    expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1);
    expect(await d1('select 1 from signing_keys where account_id = ?', [fresh.accountId])).toHaveLength(1);
    expect((await costOf(await fresh.get('/api/v3/signing/publickey'))).roundTrips).toBe(2);
  });

  test('needs an API key', async () => {
    expect((await send('GET', '/api/v3/signing/publickey')).status).toBe(401);
  });
});

describe('sign()', () => {
  test('puts signatures into the pass file that openssl and Node verify', async () => {
    const template = await client.createTemplate(SIGNED);
    const made = await client.createPass(template, { userProvidedId: 'größe-1', Seat: '12A', barcodeValue: 'B-1' });
    const [order, code, strange] = await shownValues(made.linkToPassFile);
    const { publicKey } = await keysOf(client);
    expect(order).toMatch(/^30[0-9a-f]{130,144}$/);
    expect(opensslVerifies('größe-1-12A', order!, publicKey)).toBe('Verified OK');
    expect(verifies('größe-1-12A', order!, publicKey)).toBe(true);
    expect(verifies('größe-1-12B', order!, publicKey)).toBe(false);
    expect(code).toMatch(/^v1\.30/);
    expect(verifies('B-1', code!.slice(3), publicKey)).toBe(true);
    expect(verifies('{nobody knows}', strange!, publicKey)).toBe(true);
  });

  test('renders the same pass to the same texts, on its page too', async () => {
    const template = await client.createTemplate(SIGNED);
    const made = await client.createPass(template, { userProvidedId: 'stable' });
    const [order] = await shownValues(made.linkToPassFile);
    expect(await shownValues(made.linkToPassFile)).toContain(order);
    const page = await send('GET', made.linkToPassPage as '/');
    expect(page.body).toContain(order);
  });

  test('can be the barcode value of new passes', async () => {
    const template = await client.createTemplate({
      barcode: { format: 'qr', value: '{userProvidedId}:{sign({userProvidedId})}' },
    });
    const { barcodeValue } = await client.createPass(template, { userProvidedId: 'ticket' });
    const [name, signature] = barcodeValue.split(':');
    expect(name).toBe('ticket');
    expect(verifies('ticket', signature!, (await keysOf(client)).publicKey)).toBe(true);
  });

  test('costs a round trip only if a template signs', async () => {
    const quiet = await client.createPass(await client.createTemplate());
    const signed = await client.createPass(await client.createTemplate(SIGNED));
    const tripsOf = async ({ identifier }: { identifier: string }) =>
      (await costOf(await client.get(`/api/v3/pass/${identifier}`))).roundTrips;
    expect((await tripsOf(signed)) - (await tripsOf(quiet))).toBe(1);
  });
});

describe('a rotation', () => {
  test('signs with a new key; signatures of the old one stay verifiable', async () => {
    const fresh = await freshAccount();
    const template = await fresh.createTemplate(SIGNED);
    const made = await fresh.createPass(template, { userProvidedId: 'rotated', Seat: '1' });
    const [before] = await shownValues(made.linkToPassFile);
    const old = await keysOf(fresh);
    const rotated = await admin<{ keyId: string; publicKey: string }>('signing-key rotate', {
      account: fresh.accountId,
    });
    const now = await keysOf(fresh);
    expect(now.publicKey).toBe(rotated.publicKey);
    expect(now.publicKeys).toEqual([rotated, ...old.publicKeys]);
    const [after] = await shownValues(made.linkToPassFile);
    expect(after).not.toBe(before);
    expect(verifies('rotated-1', after!, now.publicKey)).toBe(true);
    expect(verifies('rotated-1', before!, now.publicKey)).toBe(false);
    expect(verifies('rotated-1', before!, now.publicKeys[1].publicKey)).toBe(true);
  });
});
