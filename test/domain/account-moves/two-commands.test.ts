import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteAccount } from '../../../src/domain/account-deletion/delete-account.ts';
import { readStatement, rowsOf, toRows } from '../../../src/domain/account-moves/copy-rows.ts';
import { tidyMoves } from '../../../src/domain/account-moves/end-moves.ts';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { COPIED_LAST, OF_PASSES, STREAMED } from '../../../src/domain/account-moves/moved-tables.ts';
import { switchOver } from '../../../src/domain/account-moves/switch-account.ts';
import { accountMoves } from '../../../src/domain/account-moves/table.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import { type AccountContext, type Context, inDatabase } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { moveRefusal } from '../../../src/domain/moved.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';
import { STEPS, type Watch, watched } from './watched-database.ts';

/* While a command moves an account, another command, the cron or a deletion comes between any two of its steps. */

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
let passIds: string[];
beforeEach(async () => {
  const { account } = await createAccount(ctx, { name: 'Moving' }, { database: 'DB' });
  acting = await actForAccount(ctx, account.id);
  templateId = await makeTemplate(acting);
  passIds = [await addPass()];
});

async function addPass(): Promise<string> {
  const there = await actForAccount(ctx, acting.account.id);
  return (await createPass(there, templateId, {}, { wait: true })).pass.id;
}

const all = async ({ d1 }: LocalDatabase, statement: string, ...values: unknown[]) =>
  (
    await d1
      .prepare(statement)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

const idOf = () => acting.account.id;

/** Returns the tables that have rows of the account in a database. */
async function tablesIn(database: LocalDatabase): Promise<string[]> {
  const { db } = openDatabase(database.d1);
  const found: string[] = [];
  for (const table of [...STREAMED, ...OF_PASSES, ...COPIED_LAST]) {
    const rows = toRows(table, await readStatement({ ...ctx, db }, table, rowsOf(table, idOf())));
    if (rows.length > 0) found.push(table.name);
  }
  return found;
}

const triggersIn = (database: LocalDatabase) =>
  all(
    database,
    "select name from sqlite_master where type = 'trigger' and name like ?",
    `move_${idOf().replaceAll('-', '')}%`,
  );

/** Returns a context whose round trips are watched until `meanwhile` has run once, before those of a step. */
function interrupted(step: RegExp, meanwhile: () => Promise<unknown>): { command: Context; hasRun: () => boolean } {
  let hasRun = false;
  const watch: Watch = async (statements) => {
    if (hasRun || !step.test(statements)) return;
    hasRun = true;
    await meanwhile();
  };
  const env = { ...ctx.env, DB: watched(first!.d1, watch), DB_1: watched(second!.d1, watch) };
  return { command: { ...ctx, ...openDatabase(env.DB), sessions: undefined, env }, hasRun: () => hasRun };
}

/** Waits for a command, which may be refused because of the other one. */
async function tolerant(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.kind !== 'conflict') throw error;
  });
}

/** Checks that the account lives in one database, with everything, and can be used. Returns that database. */
async function expectWhole(): Promise<string> {
  const lives: string[] = [];
  for (const [name, database] of [['DB', first!] as const, ['DB_1', second!] as const]) {
    const [row] = await all(database, 'select lives_in, is_suspended from accounts where id = ?', idOf());
    if (row?.lives_in !== null) continue;
    lives.push(name);
    expect(row.is_suspended).toBe(0);
    const stored = await all(database, 'select id from passes where account_id = ?', idOf());
    expect(stored.map(({ id }) => id).sort()).toEqual([...passIds].sort());
    const [template] = await all(database, 'select pass_count from templates where id = ?', templateId);
    expect(template!.pass_count).toBe(passIds.length);
  }
  expect(lives).toHaveLength(1);
  expect((await actForAccount(ctx, idOf())).database ?? 'DB').toBe(lives[0]);
  return lives[0]!;
}

/** Steps like the others, or without rows here. */
const SKIPPED = ['indexes passes', 'copies events', 'copies the last large table', 'copies counts'];
const steps = (Object.keys(STEPS) as (keyof typeof STEPS)[]).filter((step) => !SKIPPED.includes(step));

test('a move that fails does not delay the cleanup of others', async () => {
  const values = {
    target: 'DB_1',
    claim: '',
    tableIndex: 0,
    place: null,
    startedAt: 1,
    blockedUntilAt: 0,
    isSealed: true,
  };
  const more = { blockedAt: 1, readOnlyMs: null, rows: null, movedAt: null, hasTriggers: false };
  const lost = uuidv7(1);
  await first!.look.insert(accountMoves).values({ accountId: lost, step: 'sealed', ...values, ...more });
  await moveAccount(ctx, idOf(), 'DB_1');
  const nextDay = Date.now() + 25 * 60 * 60_000;
  await expect(tidyMoves(inDatabase(ctx, 'DB'), nextDay)).rejects.toMatchObject({ kind: 'not_found' });
  expect(await tablesIn(first!)).toEqual([]);
  await all(first!, 'delete from account_moves where account_id = ?', lost);
});

describe('a second command', () => {
  const other = async (to: string) => {
    await tolerant(moveAccount(ctx, idOf(), to));
    // A command that continues with what it read before overwrites these.
    passIds.push(await addPass().catch(addAfterBlock));
  };
  const addAfterBlock = async (error: unknown) => {
    if (moveRefusal(error) !== 'moving') throw error;
    await all(first!, 'update account_moves set blocked_until_at = 0 where account_id = ?', idOf());
    return addPass();
  };

  test.each(steps)('to the same database loses nothing while the first one %s', async (step) => {
    const { command, hasRun } = interrupted(STEPS[step], () => other('DB_1'));
    await tolerant(moveAccount(command, idOf(), 'DB_1'));
    expect(hasRun()).toBe(true);
    await expectWhole();
    await moveAccount(ctx, idOf(), 'DB_1');
    expect(await expectWhole()).toBe('DB_1');
  });

  test.each(steps)('that undoes the move loses nothing while the first one %s', async (step) => {
    const { command, hasRun } = interrupted(STEPS[step], () => other('DB'));
    await tolerant(moveAccount(command, idOf(), 'DB_1'));
    expect(hasRun()).toBe(true);
    await expectWhole();
    await moveAccount(ctx, idOf(), 'DB');
    expect(await expectWhole()).toBe('DB');
  });

  const UNDO = {
    takes: /^update "account_moves" set .*"has_triggers"/,
    'drops triggers': /DROP TRIGGER/,
    'removes passes': /delete from "passes"/,
    'removes the account': /delete from "accounts"/,
    ends: /delete from "account_moves"/,
  };
  test.each(Object.keys(UNDO) as (keyof typeof UNDO)[])(
    'loses nothing while the first one undoes and %s',
    async (step) => {
      const { command: dying } = interrupted(STEPS['looks at changes'], () => Promise.reject(new Error('died')));
      await expect(moveAccount(dying, idOf(), 'DB_1')).rejects.toThrow();
      const { command, hasRun } = interrupted(UNDO[step], () => other('DB_1'));
      await tolerant(moveAccount(command, idOf(), 'DB'));
      expect(hasRun()).toBe(true);
      await expectWhole();
      await moveAccount(ctx, idOf(), 'DB_1');
      expect(await expectWhole()).toBe('DB_1');
    },
  );

  test('leaves nothing if it undoes the move while the first one copies', async () => {
    for (const step of ['puts triggers on tables', 'stores a copy of the account', 'copies passes'] as const) {
      const { command } = interrupted(STEPS[step], () => moveAccount(ctx, idOf(), 'DB'));
      await expect(moveAccount(command, idOf(), 'DB_1')).rejects.toMatchObject({ kind: 'conflict' });
      expect([step, await tablesIn(second!), await triggersIn(first!)]).toEqual([step, [], []]);
    }
  });
});

test('a switch that the cron completes meanwhile keeps the account active', async () => {
  for (const step of ['makes the copy the account', 'changes the map', 'makes the account a copy'] as const) {
    const here = await expectWhole();
    const to = here === 'DB' ? 'DB_1' : 'DB';
    const later = Date.now() + 2 * 60_000;
    const { command } = interrupted(STEPS[step], () => tidyMoves(inDatabase(ctx, here), later));
    await tolerant(moveAccount(command, idOf(), to));
    expect(await expectWhole()).toBe(to);
    // A command that has read the record before.
    await switchOver({ accountId: idOf(), from: inDatabase(ctx, here), to: inDatabase(ctx, to) }, to);
    expect(await expectWhole()).toBe(to);
  }
});

describe('an account that is deleted during its move', () => {
  test.each(steps)('is gone from both databases, or moved, if the command %s', async (step) => {
    let isRefused = false;
    const { command, hasRun } = interrupted(STEPS[step], async () => {
      await deleteAccount(ctx, idOf(), 'Moving').catch((error: unknown) => {
        expect(moveRefusal(error)).toBeDefined();
        isRefused = true;
      });
    });
    const reply = await moveAccount(command, idOf(), 'DB_1').catch((error: DomainError) => error.kind);
    expect(hasRun()).toBe(true);
    if (isRefused) {
      expect(reply).toMatchObject({ to: 'DB_1' });
      expect(await expectWhole()).toBe('DB_1');
      return;
    }
    if (typeof reply === 'string') {
      expect(reply).toBe('not_found');
      await tidyMoves(inDatabase(ctx, 'DB'));
      expect(await all(first!, 'select 1 from account_moves where account_id = ?', idOf())).toEqual([]);
      expect([await tablesIn(second!), await triggersIn(first!)]).toEqual([[], []]);
      expect(await all(first!, 'select 1 from account_deletions where account_id = ?', idOf())).toHaveLength(1);
      await expect(moveAccount(ctx, idOf(), 'DB_1')).rejects.toMatchObject({ kind: 'not_found' });
    } else expect(await all(second!, 'select 1 from account_deletions where account_id = ?', idOf())).toHaveLength(1);
  });
});
