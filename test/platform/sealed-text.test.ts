import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  decrypt,
  deriveKeys,
  encrypt,
  readEncryptionKeys,
  sealedPrefix,
  sealFile,
  unsealFile,
} from '../../src/platform/sealed-text.ts';

const newKey = () => randomBytes(32).toString('base64');
const [OLD, NEW, THIRD] = [newKey(), newKey(), newKey()];

describe('encryption at rest', () => {
  test.each([
    ['one key without an ID', { ENCRYPTION_KEY: OLD }, /^v1\.[^.]+\.[^.]+$/],
    ['one key with an ID', { ENCRYPTION_KEYS: `a:${OLD}` }, /^v2\.a\.[^.]+\.[^.]+$/],
    ['the first of several', { ENCRYPTION_KEYS: ` 2:${NEW} , 1:${OLD} ` }, /^v2\.2\./],
    ['the first, beside one without an ID', { ENCRYPTION_KEYS: `2:${NEW}`, ENCRYPTION_KEY: OLD }, /^v2\.2\./],
  ])('with %s records the key’s ID', async (_, settings, form) => {
    const sealed = await encrypt(settings, 'row', 'secret ✓');
    expect(sealed).toMatch(form);
    expect(sealed.startsWith(sealedPrefix(settings))).toBe(true);
    expect(await decrypt(settings, 'row', sealed)).toBe('secret ✓');
    await expect(decrypt(settings, 'another row', sealed)).rejects.toThrow();
    await expect(
      decrypt(
        settings,
        'row',
        sealed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      ),
    ).rejects.toThrow();
  });

  test('is decrypted by the key that encrypted it, before and after IDs', async () => {
    const plain = await encrypt({ ENCRYPTION_KEY: OLD }, 'row', 'before IDs');
    const named = await encrypt({ ENCRYPTION_KEYS: `1:${OLD}` }, 'row', 'with ID');
    const settings = [
      { ENCRYPTION_KEYS: `1:${OLD},2:${NEW}` },
      { ENCRYPTION_KEYS: `2:${NEW},1:${OLD}` },
      { ENCRYPTION_KEYS: `2:${NEW}`, ENCRYPTION_KEY: OLD },
      { ENCRYPTION_KEY: OLD },
    ];
    for (const one of settings) {
      expect(await decrypt(one, 'row', plain)).toBe('before IDs');
      expect(await decrypt(one, 'row', named)).toBe('with ID');
    }
    // A key that had no ID may get any.
    const renamed = { ENCRYPTION_KEYS: `2:${NEW},1:${THIRD},2025:${OLD}` };
    expect(await decrypt(renamed, 'row', plain)).toBe('before IDs');
  });

  test('reports which key is missing', async () => {
    const sealed = await encrypt({ ENCRYPTION_KEYS: `old-1:${OLD}` }, 'row', 'x');
    await expect(decrypt({ ENCRYPTION_KEYS: `2:${NEW}` }, 'row', sealed)).rejects.toThrow(
      'a value is encrypted with the key old-1, which is not in ENCRYPTION_KEYS',
    );
    const plain = await encrypt({ ENCRYPTION_KEY: OLD }, 'row', 'x');
    await expect(decrypt({ ENCRYPTION_KEYS: `2:${NEW}` }, 'row', plain)).rejects.toThrow();
    for (const text of ['', 'x', 'v3.a.b.c', 'v1.onlyone', 'v2.2.onlyone']) {
      await expect(decrypt({ ENCRYPTION_KEY: OLD }, 'row', text)).rejects.toThrow();
    }
  });
});

describe('files at rest', () => {
  const file = randomBytes(70_000);
  test.each([
    ['one key without an ID', { ENCRYPTION_KEY: OLD }],
    ['one key with an ID', { ENCRYPTION_KEYS: `a-1:${OLD}` }],
    ['the first of several', { ENCRYPTION_KEYS: `2:${NEW},1:${OLD}` }],
  ])('with %s are restored byte for byte', (_, settings) => {
    const sealed = sealFile(settings, 'row', file);
    expect(Buffer.from(unsealFile(settings, 'row', sealed)).equals(file)).toBe(true);
    expect(Buffer.from(sealed).includes(file.subarray(0, 16))).toBe(false);
    expect(() => unsealFile(settings, 'another row', sealed)).toThrow();
    const changed = sealed.slice();
    changed[changed.length - 100]! ^= 1;
    expect(() => unsealFile(settings, 'row', changed)).toThrow();
    expect(() => unsealFile({ ENCRYPTION_KEYS: `3:${THIRD}` }, 'row', sealed)).toThrow();
    for (const chars of [0, 2, 4, 10, 20])
      expect(() => unsealFile(settings, 'row', sealed.subarray(0, chars))).toThrow();
  });
});

describe('wrong settings', () => {
  const LOOKS = 'ENCRYPTION_KEYS must look like 2:<key>,1:<older key>; make a key with: openssl rand -base64 32';
  test.each([
    ['nothing', {}, 'ENCRYPTION_KEYS or ENCRYPTION_KEY must be set'],
    ['an empty text', { ENCRYPTION_KEYS: ' ', ENCRYPTION_KEY: '' }, 'must be set'],
    ['a key without an ID', { ENCRYPTION_KEYS: OLD }, `${LOOKS} (entry 1)`],
    ['a key that is too short', { ENCRYPTION_KEYS: `1:${OLD},2:${OLD.slice(4)}` }, `${LOOKS} (entry 2)`],
    ['a strange ID', { ENCRYPTION_KEYS: `a.b:${OLD}` }, `${LOOKS} (entry 1)`],
    ['a comma too many', { ENCRYPTION_KEYS: `1:${OLD},` }, `${LOOKS} (entry 2)`],
    ['an ID twice', { ENCRYPTION_KEYS: `1:${OLD},1:${NEW}` }, 'ENCRYPTION_KEYS has two keys with the ID 1'],
    ['two keys 1', { ENCRYPTION_KEYS: `1:${NEW}`, ENCRYPTION_KEY: OLD }, 'ENCRYPTION_KEY has the ID 1'],
    ['no base64', { ENCRYPTION_KEY: '*' }, 'ENCRYPTION_KEY must be 32 bytes in base64'],
    ['too few bytes', { ENCRYPTION_KEY: OLD.slice(8) }, 'ENCRYPTION_KEY must be 32 bytes in base64'],
  ])('are named: %s', async (_, settings, message) => {
    expect(() => readEncryptionKeys(settings)).toThrow(message);
    await expect(encrypt(settings, 'row', 'x')).rejects.toThrow(message);
    expect(String(await encrypt(settings, 'row', 'x').catch((error) => error))).not.toContain(OLD.slice(8, 40));
  });

  test('do not include the same key 1 in both', () => {
    const { all } = readEncryptionKeys({ ENCRYPTION_KEYS: `2:${NEW},1:${OLD}`, ENCRYPTION_KEY: OLD });
    expect(all.map(({ id }) => id)).toEqual(['2', '1']);
  });
});

test('keys for a purpose are derived from the encryption keys, in order, and differ by purpose', () => {
  const [first, second] = deriveKeys({ ENCRYPTION_KEYS: `2:${NEW},1:${OLD}` }, 'proofs');
  expect([first, second]).toEqual([
    ...deriveKeys({ ENCRYPTION_KEYS: `2:${NEW}` }, 'proofs'),
    ...deriveKeys({ ENCRYPTION_KEY: OLD }, 'proofs'),
  ]);
  expect(deriveKeys({ ENCRYPTION_KEY: OLD }, 'other')[0]).not.toEqual(second);
});
