import { createPrivateKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { rotateSigningKey } from '../../../src/domain/signing-keys/rotate-signing-key.ts';
import {
  getSigningKey,
  getTextSigner,
  insertSigningKey,
  listSigningKeys,
  newSigningKey,
  signerFor,
} from '../../../src/domain/signing-keys/signer.ts';
import { encrypt } from '../../../src/platform/sealed-text.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

const freshContext = async () => {
  ctx = await database.accountContext();
  return ctx;
};

const verifies = (text: string, signature: string, publicKey: string) =>
  verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'hex'));

describe('the signing key of an account', () => {
  test('is created on first use, and only once by 20 simultaneous requests', async () => {
    const { account } = await freshContext();
    const requests = Array.from({ length: 20 }, () => getSigningKey({ ...database.context(), account }));
    const keys = new Set((await Promise.all(requests)).map((key) => key.id));
    expect(keys.size).toBe(1);
    expect(await listSigningKeys(ctx)).toHaveLength(1);
  });

  test('belongs to one account, and its private part is not readable at rest', async () => {
    const mine = await getSigningKey(await freshContext());
    const other = await getSigningKey(await freshContext());
    expect(other.publicKeyPem).not.toBe(mine.publicKeyPem);
    expect(mine.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(mine.privateKeySealed).toMatch(/^v1\./);
    expect(mine.privateKeySealed).not.toContain('PRIVATE KEY');
  });

  test('costs one round trip once it exists', async () => {
    await getSigningKey(await freshContext());
    const later = { ...database.context(), account: ctx.account };
    await getSigningKey(later);
    expect([later.meter.roundTrips, later.meter.rowsRead]).toEqual([1, 1]);
  });

  test('is replaced by a rotation, and the old one stays listed after it', async () => {
    await freshContext();
    const first = await getSigningKey(ctx);
    const second = await rotateSigningKey(ctx);
    expect(second.id).not.toBe(first.id);
    expect(await getSigningKey(ctx)).toEqual(second);
    expect((await listSigningKeys(ctx)).map(({ id, active }) => [id, active])).toEqual([
      [second.id, true],
      [first.id, false],
    ]);
  });

  test('stays a single active one if 10 rotations race', async () => {
    await freshContext();
    const rotations = Array.from({ length: 10 }, () =>
      rotateSigningKey({ ...database.context(), account: ctx.account }),
    );
    await Promise.all(rotations);
    const keys = await listSigningKeys(ctx);
    expect(keys).toHaveLength(10);
    expect(keys.filter((key) => key.active)).toEqual([keys[0]]);
  });
});

describe('a signer', () => {
  test('signs what the public key verifies, and always the same for a text', async () => {
    const signer = await getTextSigner(await freshContext());
    const { publicKeyPem } = await getSigningKey(ctx);
    for (const text of ['', 'plain', 'Zoë – 東京 🎫']) {
      expect(signer.sign(text)).toMatch(/^30[0-9a-f]+$/);
      expect(verifies(text, signer.sign(text), publicKeyPem)).toBe(true);
      expect(verifies(`${text}!`, signer.sign(text), publicKeyPem)).toBe(false);
      expect(signer.sign(text)).toBe(signer.sign(text));
    }
  });

  test('signs as RFC 6979 says (A.2.5, SHA-256, "sample" and "test")', async () => {
    await freshContext();
    const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
    const pem = createPrivateKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        d: base64url('C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721'),
        x: base64url('60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6'),
        y: base64url('7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299'),
      },
    }).export({ type: 'pkcs8', format: 'pem' });
    const key = await newSigningKey(ctx);
    const privateKeySealed = await encrypt(ctx.env, key.id, pem as string);
    await insertSigningKey(ctx, { ...key, privateKeySealed });
    const { sign } = await getTextSigner(ctx);
    const der = (r: string, s: string) => `3046022100${r}022100${s}`.toLowerCase();
    expect(sign('sample')).toBe(
      der(
        'EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716',
        'F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8',
      ),
    );
    expect(sign('test')).toBe(
      `3045022100${'F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367'}0220${'019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083'}`.toLowerCase(),
    );
  });

  test('is loaded only for texts that need a signature', async () => {
    const { account } = await freshContext();
    const quiet = { ...database.context(), account };
    expect(await signerFor(quiet, 'sign (this), {userProvidedId}')).toBeUndefined();
    expect(await signerFor(quiet, { fields: [{ value: '{Seat}' }] })).toBeUndefined();
    expect(quiet.meter.roundTrips).toBe(0);
    const definition = { fields: [{ value: 'No. {sign({Seat})}' }] };
    expect((await signerFor(quiet, definition))?.keyId).toBe((await getSigningKey(ctx)).id);
    expect((await signerFor(quiet, definition))?.keyId).toBe((await getSigningKey(ctx)).id);
  });
});
