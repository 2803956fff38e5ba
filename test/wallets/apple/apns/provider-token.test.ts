import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { providerToken, TOKEN_SECONDS } from '../../../../src/wallets/apple/apns/direct-transport.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = {
  keyId: 'ABC123DEFG',
  teamId: 'TEAM012345',
  privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const NOW = Date.UTC(2026, 10, 20, 12, 34, 56);
const PERIOD_MS = TOKEN_SECONDS * 1_000;
const begin = Math.floor(NOW / PERIOD_MS) * PERIOD_MS;

describe('a provider token', () => {
  test('is a JWT in Apple’s format, which others can verify', async () => {
    const { payload, protectedHeader } = await jwtVerify(
      await providerToken(key, NOW),
      await importSPKI(publicPem, 'ES256'),
      { algorithms: ['ES256'], currentDate: new Date(NOW) },
    );
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: key.keyId });
    expect(payload).toEqual({ iss: key.teamId, iat: begin / 1_000 });
  });

  test('changes less than once in 20 minutes, and never becomes an hour old', async () => {
    expect(TOKEN_SECONDS).toBeGreaterThan(20 * 60);
    expect(TOKEN_SECONDS).toBeLessThan(60 * 60);
    const [first, last, next] = await Promise.all(
      [begin, begin + PERIOD_MS - 1, begin + PERIOD_MS].map((now) => providerToken(key, now)),
    );
    expect(last).toBe(first);
    expect(next).not.toBe(first);
  });

  test('is the same text wherever it is created', async () => {
    const here = await providerToken(key, NOW);
    // The same key written differently is another cache entry, like in another isolate.
    const elsewhere = await providerToken({ ...key, privateKeyPem: `${key.privateKeyPem}\n` }, NOW);
    expect(elsewhere).toBe(here);
  });

  test('belongs to its key and team', async () => {
    const tokens = await Promise.all(
      [{}, { keyId: 'OTHERKEY00' }, { teamId: 'OTHERTEAM0' }].map((other) => providerToken({ ...key, ...other }, NOW)),
    );
    expect(new Set(tokens).size).toBe(3);
  });
});
