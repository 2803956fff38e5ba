import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { moveAccount, type MoveReply, tidyMoves } from '../../../src/domain/account-moves/move-account.ts';
import { COPIED_LAST, OF_PASSES, STREAMED } from '../../../src/domain/account-moves/moved-tables.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../../../src/domain/accounts/find-account.ts';
import { accounts } from '../../../src/domain/accounts/table.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { type AccountContext, type Context, inDatabase } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { moveRefusal } from '../../../src/domain/moved.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { findPage } from '../../../src/domain/passes/page/find-page.ts';
import { placeOfAccount } from '../../../src/domain/shard-map.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* An account of one database is moved to another one; every table has rows. */

let [first, second]: LocalDatabase[] = [];
let ctx: Context;
beforeAll(async () => {
  [first, second] = [await openLocalDatabase(), await openLocalDatabase()];
  const { env, ...rest } = first.context();
  ctx = { ...rest, env: { ...env, DB_1: second.d1, ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() } };
  await openForAccounts(ctx, 'DB_1', async () => {});
});
afterAll(async () => {
  await first!.close();
  await second!.close();
});

let acting: AccountContext;
let apiKey: string;
let templateId: string;
let passIds: string[];
beforeEach(async () => {
  const created = await createAccount(ctx, { name: 'Moving' }, { database: 'DB' });
  apiKey = created.apiKey;
  acting = await actForAccount(ctx, created.account.id);
  templateId = await makeTemplate(acting);
  passIds = [];
  for (let i = 0; i < 3; i++) passIds.push((await createPass(acting, templateId, {}, { wait: true })).pass.id);
});

const all = async (database: LocalDatabase, statement: string, ...values: unknown[]) =>
  (await database.d1.prepare(statement).bind(...values).all<Record<string, unknown>>()).results;

const move = (to: string): Promise<MoveReply> => moveAccount(ctx, acting.account.id, to);

test('moves with its rows, and is found where it lives', async () => {
  const reply = await move('DB_1');
  expect(reply).toMatchObject({ from: 'DB', to: 'DB_1', moved: { passes: 3, templates: 1, api_keys: 1, accounts: 1 } });
  expect(placeOfAccount(ctx.env, acting.account.id)).toBe('DB_1');
  const caller = await authenticate(ctx, apiKey);
  expect([caller?.account.id, caller?.ctx.database]).toEqual([acting.account.id, 'DB_1']);
  expect((await findPage(ctx, { id: passIds[0]! }, 'page'))?.ctx.database).toBe('DB_1');
  const listed = await listAccounts(ctx);
  expect(listed.filter(({ id }) => id === acting.account.id).map(({ database }) => database)).toEqual(['DB_1']);
  expect(await move('DB_1')).toEqual(reply);
});
