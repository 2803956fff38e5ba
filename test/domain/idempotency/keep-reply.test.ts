import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { claimRequest, keepReply, releaseRequest } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { failingOnce } from '../../support/failing-once.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';

/* A key whose request has ended must not look in progress: after a while, its repeat would run again. */

const REPLY = { status: 201, headers: { 'Content-Type': 'application/json' }, body: '{"identifier":"one"}' };
const DIGEST = 'digest';

let database: LocalDatabase;
let ctx: AccountContext;
beforeAll(async () => {
  database = await openLocalDatabase();
  ctx = await database.accountContext();
});
afterAll(() => database.close());

const failing = (when: 'before' | 'after') => ({ ...ctx, ...openDatabase(failingOnce(database.d1, when)) });

test.each(['before', 'after'] as const)('a reply is stored even if the database fails %s the write', async (when) => {
  expect((await claimRequest(ctx, when, DIGEST)).kept).toBeUndefined();
  await keepReply(failing(when), when, REPLY);
  expect((await claimRequest(ctx, when, DIGEST)).kept).toEqual(REPLY);
});

test.each(['before', 'after'] as const)('a key is released even if the database fails %s the write', async (when) => {
  const key = `freed ${when}`;
  const first = await claimRequest(ctx, key, DIGEST);
  await releaseRequest(failing(when), key);
  expect(await claimRequest(ctx, key, DIGEST)).toEqual({ repeatable: { ...first.repeatable, isRepeat: true } });
});
