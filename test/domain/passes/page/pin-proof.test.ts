import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Context } from '../../../../src/domain/context.ts';
import { isPinProof, PIN_PROOF_MINUTES, provePin } from '../../../../src/domain/passes/page/pin.ts';

const NOW = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;
const contextWith = (secret: Buffer) => ({ env: { ENCRYPTION_KEY: secret.toString('base64') } }) as Context;

const ctx = contextWith(randomBytes(32));
const pass = { id: 'a', downloadPin: '4711' };
const proof = provePin(ctx, pass, NOW);

test('a proof is valid for half an hour', () => {
  expect(PIN_PROOF_MINUTES).toBe(30);
  expect(isPinProof(ctx, pass, proof, NOW)).toBe(true);
  expect(isPinProof(ctx, pass, proof, NOW + 30 * MINUTE_MS - 1)).toBe(true);
  expect(isPinProof(ctx, pass, proof, NOW + 30 * MINUTE_MS)).toBe(false);
});

test('a proof is valid for one pass, its PIN and one service', () => {
  expect(isPinProof(ctx, { ...pass, id: 'b' }, proof, NOW)).toBe(false);
  expect(isPinProof(ctx, { ...pass, downloadPin: '4712' }, proof, NOW)).toBe(false);
  expect(isPinProof(contextWith(randomBytes(32)), pass, proof, NOW)).toBe(false);
});

test('a proof stays valid while its key is set', () => {
  const key = ctx.env.ENCRYPTION_KEY!;
  const fresh = randomBytes(32).toString('base64');
  const rotated = { env: { ENCRYPTION_KEYS: `2:${fresh},1:${key}` } } as Context;
  expect(isPinProof(rotated, pass, proof, NOW)).toBe(true);
  expect(isPinProof(ctx, pass, provePin(rotated, pass, NOW), NOW)).toBe(false);
  expect(isPinProof({ env: { ENCRYPTION_KEYS: `2:${fresh}` } } as Context, pass, proof, NOW)).toBe(false);
});

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['another text', 'x'],
  ['a later end', proof.replace(/^\d+/, (end) => String(Number(end) + 1))],
  ['no MAC', proof.replace(/\..*/, '.')],
  ['a shorter MAC', proof.slice(0, -1)],
])('%s is not a proof', (_, text) => {
  expect(isPinProof(ctx, pass, text, NOW)).toBe(false);
});
