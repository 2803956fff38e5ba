import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newSecret, seal, unseal } from '../../../src/domain/webhooks/secrets.ts';
import type { Env } from '../../../src/platform/env.ts';

const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') } as Env;

test('an encrypted secret opens only for its own subscription, even once it was opened', async () => {
  const [own, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const secret = newSecret();
  const sealed = await seal(env, own, secret);
  expect(unseal(env, own, sealed)).toBe(secret);
  expect(() => unseal(env, other, sealed)).toThrow();
  expect(unseal(env, own, sealed)).toBe(secret);
});
