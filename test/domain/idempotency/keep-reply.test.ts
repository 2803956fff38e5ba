import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { claimRequest, keepReply, releaseRequest } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

/* A key whose request has ended must not look in progress: after a while, its repeat would run again. */

const REPLY = { status: 201, headers: { 'Content-Type': 'application/json' }, body: '{"identifier":"one"}' };
const DIGEST = 'digest';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = openMemoryDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

const failing = (when: 'before' | 'after') => ({ ...ctx, ...openDatabase(failingOnce(database.d1, when)) });

test.each(['before', 'after'] as const)('a reply is stored even if the database fails %s the write', async (when) => {
  const { kept, claimed } = await claimRequest(ctx, when, DIGEST);
  expect(kept).toBeUndefined();
  await keepReply(failing(when), claimed!, REPLY);
  expect((await claimRequest(ctx, when, DIGEST)).kept).toEqual(REPLY);
});

test.each(['before', 'after'] as const)('a key is released even if the database fails %s the write', async (when) => {
  const key = `freed ${when}`;
  const first = await claimRequest(ctx, key, DIGEST);
  await releaseRequest(failing(when), first.claimed!);
  expect(await claimRequest(ctx, key, DIGEST)).toEqual({
    repeatable: { ...first.repeatable, isRepeat: true },
    claimed: { key, startedAt: expect.any(Number) },
  });
});

/** Claims a key, and claims it again for another request after the first one counts as abandoned. */
async function claimTwice(key: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const first = (await claimRequest(ctx, key, DIGEST)).claimed!;
  vi.setSystemTime(Date.now() + 6 * 60_000);
  return [first, (await claimRequest(ctx, key, 'another digest')).claimed!] as const;
}

test.each([
  ['small', REPLY.body],
  // Too large for a row: its file has the name of the key.
  ['large', JSON.stringify({ identifier: 'x'.repeat(1_500_000) })],
])('a request that ran too long gives no %s reply to the request that uses its key since', async (size, body) => {
  const files = memoryBucket();
  const owner = { ...ctx, env: { ...ctx.env, FILES: files } };
  const [slow, next] = await claimTwice(`taken over ${size}`);
  const reply = { ...REPLY, body: JSON.stringify({ of: 'another', body }) };
  if (size === 'large') await keepReply(owner, next, reply);
  await keepReply(owner, slow, { ...REPLY, body });
  if (size === 'small') {
    await expect(claimRequest(owner, next.key, 'another digest')).rejects.toThrow('still running');
    await keepReply(owner, next, reply);
  }
  expect((await claimRequest(owner, next.key, 'another digest')).kept).toEqual(reply);
});

test('a request that ran too long does not release the key for which another request runs', async () => {
  const [slow, next] = await claimTwice('released late');
  await releaseRequest(ctx, slow);
  await expect(claimRequest(ctx, next.key, 'another digest')).rejects.toThrow('still running');
  await releaseRequest(ctx, next);
  expect((await claimRequest(ctx, next.key, 'another digest')).repeatable?.isRepeat).toBe(true);
});
