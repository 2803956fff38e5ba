import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  checkSignatures,
  KeysUnavailable,
  readCallback,
  rootKeys,
} from '../../../src/wallets/google/verify-callback.ts';
import { GoogleStandIn, newSigningKey } from '../../support/google-stand-in.ts';

const NOW = Date.UTC(2026, 10, 20);
const MINUTE_MS = 60_000;

let count = 0;

/** Keys are cached by address, so each test uses another one. */
function publisher(keys: object[], headers: Record<string, string> = {}) {
  const asked: RequestInit[] = [];
  const state = { keys, status: 200 };
  const fetch = (async (_: string, init: RequestInit) => {
    asked.push(init);
    return Response.json({ keys: state.keys }, { status: state.status, headers });
  }) as typeof globalThis.fetch;
  const url = `https://keys-${++count}.example`;
  return { asked, state, ask: (now: number, isDoubted = false) => rootKeys(url, { fetch, now, isDoubted }) };
}

const published = (protocolVersion = 'ECv2SigningOnly') => ({ keyValue: newSigningKey().publicKey, protocolVersion });

test('keys are fetched once while they are fresh, within limits', async () => {
  const google = publisher([published()], { 'Cache-Control': 'public, max-age=7200' });
  await google.ask(NOW);
  await google.ask(NOW + 119 * MINUTE_MS);
  expect(google.asked).toHaveLength(1);
  expect(google.asked[0]).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) });
  await google.ask(NOW + 121 * MINUTE_MS);
  expect(google.asked).toHaveLength(2);
  const hasty = publisher([published()], { 'Cache-Control': 'max-age=0' });
  await hasty.ask(NOW);
  await hasty.ask(NOW + 4 * MINUTE_MS);
  expect(hasty.asked).toHaveLength(1);
});

test('keys that do not verify a message are fetched again, once a minute', async () => {
  const google = publisher([published()]);
  await google.ask(NOW);
  await google.ask(NOW + 59_000, true);
  expect(google.asked).toHaveLength(1);
  google.state.keys = [published(), published()];
  expect(await google.ask(NOW + 61_000, true)).toHaveLength(2);
});

test('a failure is not cached', async () => {
  const google = publisher([published()]);
  google.state.status = 503;
  await expect(google.ask(NOW)).rejects.toThrow(KeysUnavailable);
  google.state.status = 200;
  expect(await google.ask(NOW)).toHaveLength(1);
});

test('only P-256 keys count', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const other = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const google = publisher([{ ...published(), keyValue: other }, { ...published(), keyValue: 'AAAA' }, published()]);
  expect(await google.ask(NOW)).toHaveLength(1);
});

test.each([
  ['of another protocol', { protocolVersion: 'ECv2' }, 'unknown_key'],
  ['that has expired', { keyExpiration: String(NOW - 1) }, 'unknown_key'],
  ['that holds', { keyExpiration: String(NOW + 1) }, 'good'],
  ['without an end', {}, 'good'],
])('a root key %s verifies as expected', async (_, differences, outcome) => {
  const signer = new GoogleStandIn();
  const key = { keyValue: signer.root.publicKey, protocolVersion: 'ECv2SigningOnly', ...differences };
  const roots = await publisher([published(), key]).ask(NOW);
  const { envelope, message } = readCallback(signer.callback('pass-ü-€', 'save', { nonce: 'ümläut' }));
  expect(checkSignatures(envelope, message.issuerId, roots, NOW)).toBe(outcome);
});
