import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiEnv } from '../../src/api/api-env.ts';
import { idempotency } from '../../src/api/version.ts';
import { ALL_RIGHTS } from '../../src/domain/api-keys/rights.ts';
import type { AccountContext } from '../../src/domain/context.ts';
import { claimRequest } from '../../src/domain/idempotency/idempotent-requests.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { type LocalDatabase, openMemoryDatabase } from '../domain/local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const KEY = { 'Idempotency-Key': 'key' };

/** Returns an app with one POST operation, for its own account. */
function appFor(ctx: AccountContext, post: () => ContentfulStatusCode | Promise<ContentfulStatusCode>) {
  return new Hono<ApiEnv>()
    .use(async (c, next) => {
      c.set('ctx', ctx);
      c.set('rights', ALL_RIGHTS);
      c.set('rawBody', '{}');
      await next();
    })
    .use(idempotency)
    .post('/things', async (c) => c.json({ done: true }, await post()));
}

test('a request is completed, and its reply stored, even if the caller has disconnected', async () => {
  const kept: Promise<unknown>[] = [];
  const ctx: AccountContext = { ...(await database.accountContext()), waitUntil: (work) => kept.push(work) };
  const { promise: hold, resolve: release } = Promise.withResolvers<ContentfulStatusCode>();
  const app = appFor(ctx, () => hold);
  // As on the platform after a caller disconnects, only work passed to waitUntil continues.
  void app.request('/things', { method: 'POST', headers: KEY });
  await expect.poll(() => kept.length).toBe(1);
  release(201);
  await Promise.all(kept);
  const digest = await sha256(JSON.stringify(['POST', '/things', '', '{}']));
  const { kept: reply } = await claimRequest(ctx, KEY['Idempotency-Key'], digest);
  expect(reply).toMatchObject({ status: 201, body: '{"done":true}' });
});

test.each([
  [201, 201, 'true'],
  [400, 400, 'true'],
  [409, 201, null],
  [500, 201, null],
] as const)('after a reply of %d, a repeat gets %d', async (first, repeated, replayed) => {
  const replies: ContentfulStatusCode[] = [first, 201];
  const app = await appFor(await database.accountContext(), () => replies.shift()!);
  const send = async () => app.request('/things', { method: 'POST', headers: KEY });
  expect((await send()).status).toBe(first);
  const repeat = await send();
  expect([repeat.status, repeat.headers.get('Idempotent-Replayed')]).toEqual([repeated, replayed]);
});
