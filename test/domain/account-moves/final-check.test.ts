import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readStatement, rowsOf, toRows } from '../../../src/domain/account-moves/copy-rows.ts';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { OF_PASSES, STREAMED } from '../../../src/domain/account-moves/moved-tables.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';
import { STEPS, type Watch, watched } from './watched-database.ts';

/* What a move checks before its switch, and how long writes wait for it. */

let [first, second]: LocalDatabase[] = [];
let ctx: Context;
beforeAll(async () => {
  [first, second] = [openMemoryDatabase(), openMemoryDatabase()];
  const { env, ...rest } = first.context();
  ctx = { ...rest, env: { ...env, DB_1: second.d1, ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() } };
  await openForAccounts(ctx, 'DB_1', async () => {});
});
afterAll(async () => {
  await first!.close();
  await second!.close();
});

let acting: AccountContext;
let templateId: string;
beforeEach(async () => {
  const { account } = await createAccount(ctx, { name: 'Moving' }, { database: 'DB' });
  acting = await actForAccount(ctx, account.id);
  templateId = await makeTemplate(acting);
  for (let i = 0; i < 3; i++) await addPass();
  const facts = "insert into pass_facts (pass_key, began_at, facts) select key, 1, '' from passes where account_id = ?";
  await all(first!, facts, account.id);
});

const addPass = async () => createPass(await actForAccount(ctx, acting.account.id), templateId, {}, { wait: true });

const all = async ({ d1 }: LocalDatabase, statement: string, ...values: unknown[]) =>
  (
    await d1
      .prepare(statement)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

/** Returns the account's rows of the large tables, without those of moves in the audit log. */
async function rowsIn({ d1 }: LocalDatabase): Promise<Record<string, string[]>> {
  const { db } = openDatabase(d1);
  const found: Record<string, string[]> = {};
  for (const table of [...STREAMED, ...OF_PASSES]) {
    const rows = toRows(table, await readStatement({ ...ctx, db }, table, rowsOf(table, acting.account.id)));
    found[table.name] = rows
      .map((row) => JSON.stringify(row))
      .filter((row) => !row.includes('"account.move"'))
      .sort();
  }
  return found;
}

/** Runs the move. `watch` sees each of its round trips before it. */
function moveWatched(watch: Watch) {
  const env = { ...ctx.env, DB: watched(first!.d1, watch), DB_1: watched(second!.d1, watch) };
  return moveAccount({ ...ctx, ...openDatabase(env.DB), sessions: undefined, env }, acting.account.id, 'DB_1');
}

const triggersIn = (database: LocalDatabase) =>
  all(database, "select name from sqlite_master where type = 'trigger' and name like 'move%'");

const ALTERATIONS = {
  'alters a pass': 'update passes set stored_value = coalesce(stored_value, 0) + 1 where account_id = ?',
  'alters a fact of a pass':
    'update pass_facts set began_at = began_at + 1 where pass_key in (select key from passes where account_id = ?)',
  'alters an event': "update account_events set type = 'pass_voided' where account_id = ?",
  'replaces an event by another': 'update account_events set id = lower(hex(randomblob(16))) where account_id = ?',
  'deletes events': 'delete from account_events where account_id = ?',
};

describe.each(Object.entries(ALTERATIONS))('if something %s of the copy', (_, statement) => {
  const alter = () => all(second!, statement, acting.account.id);

  test.each(['watches the copy', 'looks at changes', 'refuses writes', 'compares'] as const)(
    'when the command %s, the copy is corrected before the switch',
    async (step) => {
      const before = await rowsIn(first!);
      let isAltered = false;
      const reply = await moveWatched(async (statements) => {
        if (isAltered || !STEPS[step].test(statements)) return;
        isAltered = true;
        await alter();
      });
      expect([reply, isAltered]).toMatchObject([{ to: 'DB_1', moved: { passes: 3 } }, true]);
      expect(await rowsIn(second!)).toEqual(before);
      expect(await triggersIn(second!)).toEqual([]);
      expect(await all(second!, 'select * from account_changes')).toEqual([]);
    },
  );

  test('each time before the last comparison, the account does not move', async () => {
    const before = await rowsIn(first!);
    const refused = await moveWatched(async (statements) => {
      if (STEPS.compares.test(statements)) await alter();
    }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'conflict', message: expect.stringContaining('found differences') });
    expect((await actForAccount(ctx, acting.account.id)).database ?? 'DB').toBe('DB');
    expect(await rowsIn(first!)).toEqual(before);
    await addPass();
    expect(await moveAccount(ctx, acting.account.id, 'DB_1')).toMatchObject({ moved: { passes: 4 } });
  });
});

/** Moves the account. Returns the round trips from the first that refuses writes to the last of the switch. */
async function tripsInBlock(meanwhile: () => Promise<unknown> = async () => {}): Promise<number> {
  const trips: string[] = [];
  await moveWatched(async (statements) => {
    const isFirst = trips.length === 0 && STEPS['refuses writes'].test(statements);
    if (isFirst) await meanwhile();
    if (isFirst || trips.length > 0) trips.push(statements);
  });
  return trips.findIndex((statements) => STEPS['makes the account a copy'].test(statements)) + 1;
}

test('a move takes ten round trips while writes wait, and four more if passes changed since the last round', async () => {
  expect(await tripsInBlock()).toBe(10);
  await moveAccount(ctx, acting.account.id, 'DB');
  expect(await tripsInBlock(addPass)).toBe(14);
  await moveAccount(ctx, acting.account.id, 'DB');
  const addMany = () => Promise.all(Array.from({ length: 20 }, addPass));
  expect(await tripsInBlock(addMany)).toBe(14);
});
