import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiEnv } from '../../src/api/api-env.ts';
import { idempotency } from '../../src/api/idempotency.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import { claimRequest } from '../../src/domain/idempotency/idempotent-requests.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { type LocalDatabase, openLocalDatabase } from '../domain/local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = await openLocalDatabase();
});
afterAll(() => database.close());

test('a request is brought to its end, and its reply kept, also when nobody waits for it any more', async () => {
  const kept: Promise<unknown>[] = [];
  const ctx: AccountContext = { ...(await database.accountContext()), waitUntil: (work) => kept.push(work) };
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const app = new Hono<ApiEnv>()
    .use(async (c, next) => {
      c.set('ctx', ctx);
      c.set('rawBody', '{}');
      await next();
    })
    .use(idempotency)
    .post('/things', async (c) => {
      await hold;
      return c.json({ done: true }, 201);
    });
  // As the platform does when a caller has broken off, only what was handed to waitUntil is waited for.
  void app.request('/things', { method: 'POST', headers: { 'Idempotency-Key': 'broken off' } });
  await expect.poll(() => kept.length).toBe(1);
  release();
  await Promise.all(kept);
  const digest = await sha256(JSON.stringify(['POST', '/things', '', '{}']));
  expect(await claimRequest(ctx, 'broken off', digest)).toMatchObject({ status: 201, body: '{"done":true}' });
});
