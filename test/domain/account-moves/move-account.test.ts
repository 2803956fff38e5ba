import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readStatement, rowsOf, toRows } from '../../../src/domain/account-moves/copy-rows.ts';
import { tidyMoves } from '../../../src/domain/account-moves/end-moves.ts';
import { type MoveReply, moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, STREAMED } from '../../../src/domain/account-moves/moved-tables.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../../../src/domain/accounts/find-account.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { claimRenewals } from '../../../src/domain/certificates/renewals.ts';
import { claimWarnings } from '../../../src/domain/certificates/warnings.ts';
import { type AccountContext, type Actor, type Context, inDatabase } from '../../../src/domain/context.ts';
import { followMoves } from '../../../src/domain/databases/follow-moves.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { moveRefusal } from '../../../src/domain/moved.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { findPage } from '../../../src/domain/passes/page/find-page.ts';
import { processes } from '../../../src/domain/processes/table.ts';
import { placeOfAccount } from '../../../src/domain/shard-map.ts';
import { runTick } from '../../../src/jobs/cron.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';
import { STEPS, type Watch, watched } from './watched-database.ts';

/* An account moves from one database to another; every table has rows. */

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
  (
    await database.d1
      .prepare(statement)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

const TABLES: MovedTable[] = [...STREAMED, ...OF_PASSES, ...COPIED_LAST];
/** Tables whose rows differ by database. */
const OWN_TO_EACH = new Set(['hourly_counts']);

/** Returns an account's rows in a database, by table, without row keys and entries of moves. */
async function rowsIn(database: LocalDatabase, accountId = acting.account.id): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of TABLES) {
    if (OWN_TO_EACH.has(table.name)) continue;
    const { db } = openDatabase(database.d1);
    const rows = toRows(table, await readStatement({ ...ctx, db }, table, rowsOf(table, accountId)));
    const shown = rows.map((row) => JSON.stringify(row)).filter((row) => !row.includes('"account.move"'));
    found[table.name] = shown.sort();
  }
  return found;
}

/** Adds rows to tables that the fixture leaves empty, with any value in each column. */
async function fillTables(): Promise<void> {
  const [pass] = await all(first!, 'select key, id from passes where id = ?', passIds[0]);
  const given: Record<string, unknown> = {
    account_id: acting.account.id,
    pass_id: pass!.id,
    pass_key: pass!.key,
    template_id: templateId,
    subscription_id: uuidv7(),
    fan_out_id: uuidv7(),
    process_id: uuidv7(),
    keys: JSON.stringify([pass!.key]),
    cursor: pass!.key,
    is_away: null,
  };
  const own: Record<string, Record<string, unknown>> = {
    webhook_subscriptions: { id: given.subscription_id },
    push_fan_outs: { id: given.fan_out_id },
    processes: { id: given.process_id },
    pass_documents: { key: pass!.key },
    pass_tombstones: { pass_id: uuidv7() },
    template_deletions: { template_id: uuidv7() },
    webhook_payload_counts: { subscription_id: given.subscription_id },
  };
  const before = await rowsIn(first!);
  for (const { name } of TABLES) {
    if ((before[name]?.length ?? 0) > 0) continue;
    const columns = await all(first!, 'select name, type, pk from pragma_table_info(?)', name);
    const named = columns.filter(
      (column) => !(String(column.type) === 'INTEGER' && column.pk === 1 && name !== 'pass_documents'),
    );
    const values = named.map((column) => {
      const known = { ...given, ...own[name] }[String(column.name)];
      if (known !== undefined) return known;
      if (column.name === 'id') return uuidv7();
      if (/_token$|^token/.test(String(column.name))) return uuidv7();
      return String(column.type).toLowerCase() === 'text'
        ? '{}'
        : String(column.type).toLowerCase() === 'real'
          ? 0.1 + 0.2
          : 7;
    });
    const list = named.map((column) => `"${column.name}"`);
    await all(first!, `insert into ${name} (${list}) values (${list.map(() => '?')})`, ...values);
  }
}

const move = (to: string): Promise<MoveReply> => moveAccount(ctx, acting.account.id, to);

test('moves with its rows, and is found where it lives', async () => {
  await fillTables();
  const before = await rowsIn(first!);
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  const reply = await move('DB_1');
  expect(reply).toMatchObject({ from: 'DB', to: 'DB_1', moved: { passes: 3, templates: 1, api_keys: 1, accounts: 1 } });
  const counts = Object.fromEntries(Object.entries(before).map(([name, rows]) => [name, rows.length]));
  expect((reply as { moved: object }).moved).toMatchObject(counts);
  expect(await rowsIn(second!)).toEqual(before);
  expect(placeOfAccount(ctx.env, acting.account.id)).toBe('DB_1');
  const caller = await authenticate(ctx, apiKey);
  expect([caller?.account.id, caller?.ctx.database]).toEqual([acting.account.id, 'DB_1']);
  expect((await findPage(ctx, { id: passIds[0]! }, 'page'))?.ctx.database).toBe('DB_1');
  const listed = await listAccounts(ctx);
  expect(listed.filter(({ id }) => id === acting.account.id).map(({ database }) => database)).toEqual(['DB_1']);
  expect(await move('DB_1')).toEqual(reply);
});

test('rejects writes based on an old map, and the writer then finds it', async () => {
  const old = { ...acting, ...openDatabase(first!.d1) };
  await move('DB_1');
  const refused = await createPass(old, templateId, {}, { wait: true }).catch((error: unknown) => error);
  expect(moveRefusal(refused)).toBe('moved');
  const moved = await actForAccount(ctx, acting.account.id);
  const { pass } = await createPass(moved, templateId, {}, { wait: true });
  expect(await all(second!, 'select 1 as found from passes where id = ?', pass.id)).toEqual([{ found: 1 }]);
});

test('moves back, even if its old copy still exists', async () => {
  await move('DB_1');
  const moved = await actForAccount(ctx, acting.account.id);
  await createPass(moved, templateId, {}, { wait: true });
  const before = await rowsIn(second!);
  expect(await move('DB')).toMatchObject({ from: 'DB_1', to: 'DB', moved: { passes: 4 } });
  expect(await rowsIn(first!)).toEqual(before);
  expect((await actForAccount(ctx, acting.account.id)).database ?? 'DB').toBe('DB');
});

test('leaves a copy that mails no owners and notifies no devices', async () => {
  await fillTables();
  await all(first!, 'update certificates set warn_at = 1, refresh_at = 1 where account_id = ?', acting.account.id);
  await move('DB_1');
  const claimedIn = async (database: string) => {
    const here = inDatabase(ctx, database);
    const claimed = [...(await claimWarnings(here, Date.now())), ...(await claimRenewals(here, Date.now()))];
    return claimed.filter(({ accountId }) => accountId === acting.account.id).length;
  };
  expect([await claimedIn('DB'), await claimedIn('DB_1')]).toEqual([0, 2]);
});

// On the hour, the cron checks files, too.
test.each([0, 30])('leaves a copy that delays no task of the cron at minute %i of an hour', async (minute) => {
  await fillTables();
  await move('DB_1');
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCMinutes(minute) });
  const waits: Promise<unknown>[] = [];
  const lines: { task?: string; status?: string }[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((text: string) => void lines.push(JSON.parse(text))),
  );
  const execution = {
    waitUntil: (promise: Promise<unknown>) => waits.push(promise),
    passThroughOnException() {},
    props: {},
  };
  await runTick({ ...ctx.env, FILES: memoryBucket() }, execution as never, { type: 'tick', database: 'DB' });
  await Promise.all(waits);
  vi.useRealTimers();
  for (const spy of spies) spy.mockRestore();
  const undone = lines.filter(({ task, status }) => task !== undefined && status !== 'done');
  expect(undone.map(({ task }) => task)).toEqual([]);
});

const movesIn = (database: LocalDatabase) =>
  all(
    database,
    `select actor_type, target_id, target, json(changes) as changes from audit_entries
      where account_id = ? and action = 'account.move' order by id`,
    acting.account.id,
  );

test('is in the audit log once per move', async () => {
  const operator: Actor = { type: 'operator', id: null, name: 'operator' };
  for (const to of ['DB_1', 'DB_1', 'DB']) await moveAccount({ ...ctx, actor: operator }, acting.account.id, to);
  const entry = (old: string, to: string) => ({
    actor_type: 'operator',
    target_id: acting.account.id,
    target: acting.account.name,
    changes: JSON.stringify([{ field: 'database', old, new: to }]),
  });
  expect(await movesIn(first!)).toEqual([entry('DB', 'DB_1'), entry('DB_1', 'DB')]);
});

test('leaves nothing of the old copy a day later', async () => {
  await fillTables();
  await move('DB_1');
  const here = inDatabase(ctx, 'DB');
  const minutes = (count: number) => Date.now() + count * 60_000;
  const triggers = () => all(first!, "select name from sqlite_master where type = 'trigger' and name like 'move%'");
  await tidyMoves(here, minutes(1));
  expect((await triggers()).length).toBeGreaterThan(100);
  await tidyMoves(here, minutes(20));
  expect(await triggers()).toEqual([]);
  expect((await rowsIn(first!)).passes).toHaveLength(3);
  await tidyMoves(here, minutes(25 * 60));
  expect(Object.entries(await rowsIn(first!)).filter(([, rows]) => rows.length > 0)).toEqual([]);
  expect(await all(first!, 'select 1 from account_moves')).toEqual([]);
  expect((await rowsIn(second!)).passes).toHaveLength(3);
});

test.each([
  ['under way', null, 0],
  ['over since the move', 5, 0],
  ['over before the move', -5, 3],
])('leaves no old copy if an erasure of a person is %s', async (_, endedMinutes, left) => {
  await move('DB_1');
  const finishedAt = endedMinutes === null ? null : Date.now() + endedMinutes * 60_000;
  const totals = { total: 1, current: 1, failed: 0, createdAt: 1, finishedAt, mirroredAt: 1 };
  const row = { id: uuidv7(), accountId: acting.account.id, kind: 'erase' as const, ...totals };
  await openDatabase(second!.d1).db.insert(processes).values(row);
  const here = inDatabase(ctx, 'DB');
  // Work from before the switch may still read it.
  await tidyMoves(here, Date.now() + 14 * 60_000);
  expect((await rowsIn(first!)).passes).toHaveLength(3);
  await tidyMoves(here, Date.now() + 16 * 60_000);
  expect((await rowsIn(first!)).passes).toHaveLength(left);
});

/** Returns a context of the same service whose round trips are watched. */
function watching(watch: Watch): Context {
  const env = { ...ctx.env, DB: watched(first!.d1, watch), DB_1: watched(second!.d1, watch) };
  return { ...ctx, ...openDatabase(env.DB), sessions: undefined, env };
}

/** Runs a command that crashes at a step and never resumes. */
async function runAndDie(step: keyof typeof STEPS, to: string): Promise<void> {
  let isDead = false;
  const mortal = watching((statements) => {
    isDead ||= STEPS[step].test(statements);
    if (isDead) throw new Error('the command died');
  });
  const error = await moveAccount(mortal, acting.account.id, to).catch((thrown: Error) => thrown);
  expect(String((error as Error).cause ?? error)).toContain('the command died');
}

describe('a command that crashes', () => {
  test('continues when run again, at any step', async () => {
    await fillTables();
    const before = await rowsIn(first!);
    let to = 'DB_1';
    let moves = 0;
    for (const step of Object.keys(STEPS) as (keyof typeof STEPS)[]) {
      await runAndDie(step, to);
      // A new caller can read, wherever the account is.
      expect((await actForAccount(ctx, acting.account.id)).account.id).toBe(acting.account.id);
      expect((await findPage(ctx, { id: passIds[0]! }, 'page'))?.pass.id).toBe(passIds[0]);
      expect(await move(to)).toMatchObject({ to, moved: { passes: 3 } });
      expect(await rowsIn(to === 'DB' ? first! : second!)).toEqual(before);
      moves += 1;
      expect(await movesIn(to === 'DB' ? first! : second!)).toHaveLength(moves);
      to = to === 'DB' ? 'DB_1' : 'DB';
    }
  }, 300_000);

  test('is undone by a move to the account’s current database', async () => {
    await fillTables();
    const before = await rowsIn(first!);
    await runAndDie('copies events', 'DB_1');
    await createPass(acting, templateId, {}, { wait: true });
    expect(await move('DB')).toMatchObject({ from: 'DB', to: 'DB', moved: {} });
    expect((await rowsIn(first!)).passes).toHaveLength(before.passes!.length + 1);
    expect(Object.entries(await rowsIn(second!)).filter(([, rows]) => rows.length > 0)).toEqual([]);
    const own = `move_${acting.account.id.replaceAll('-', '')}%`;
    const triggers = "select name from sqlite_master where type = 'trigger' and name like ?";
    expect([await all(first!, triggers, own), await all(second!, triggers, own)]).toEqual([[], []]);
    expect(await move('DB_1')).toMatchObject({ moved: { passes: 4 } });
  });

  test('allows writes again', async () => {
    await runAndDie('compares', 'DB_1');
    // A failed move ends the write lock itself; a crashed command can't.
    const refused = await createPass(acting, templateId, {}, { wait: true }).catch((error: unknown) => error);
    expect(moveRefusal(refused)).toBe('moving');
    await all(first!, 'update account_moves set blocked_until_at = 0 where account_id = ?', acting.account.id);
    const { pass } = await createPass(acting, templateId, {}, { wait: true });
    expect(await move('DB_1')).toMatchObject({ moved: { passes: 4 } });
    expect(await all(second!, 'select 1 as found from passes where id = ?', pass.id)).toEqual([{ found: 1 }]);
  });

  test('has its switch finished by the cron', async () => {
    await runAndDie('changes the map', 'DB_1');
    await tidyMoves(inDatabase(ctx, 'DB'), Date.now() + 2 * 60_000);
    expect((await actForAccount(ctx, acting.account.id)).database).toBe('DB_1');
  });
});

test.each(['refuses writes', 'compares', 'makes the copy the account', 'makes the account a copy'] as const)(
  'causes no duplicate or lost write when it %s',
  async (step) => {
    const written: string[] = [];
    const write = async () => {
      try {
        await followMoves(ctx, async () => {
          const there = await actForAccount(ctx, acting.account.id);
          const { pass } = await createPass(there, templateId, {}, { wait: true });
          written.push(pass.id);
        });
      } catch (error) {
        expect(error).toMatchObject({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) });
        expect(error).toBeInstanceOf(DomainError);
      }
    };
    const writers: Promise<void>[] = [];
    const begin = () => writers.push(...Array.from({ length: 50 }, write));
    const command = watching((statements) => {
      if (writers.length === 0 && STEPS[step].test(statements)) begin();
    });
    const reply = await moveAccount(command, acting.account.id, 'DB_1');
    await Promise.all(writers);
    expect([reply, writers.length]).toMatchObject([{ to: 'DB_1', from: 'DB' }, 50]);
    const stored = await all(second!, 'select id from passes where account_id = ?', acting.account.id);
    expect(stored.map(({ id }) => id).sort()).toEqual([...passIds, ...written].sort());
    const [row] = await all(second!, 'select pass_count from templates where id = ?', templateId);
    expect(row!.pass_count).toBe(stored.length);
  },
);
