import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { tidyMoves } from '../../../src/domain/account-moves/end-moves.ts';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../../../src/domain/accounts/find-account.ts';
import { authenticate } from '../../../src/domain/api-keys/authenticate.ts';
import { describeDatabase } from '../../../src/domain/backups/database-pages.ts';
import { type Context, inDatabase } from '../../../src/domain/context.ts';
import { readMap } from '../../../src/domain/databases/follow-moves.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { findPage } from '../../../src/domain/passes/page/find-page.ts';
import { placeOfAccount } from '../../../src/domain/shard-map.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* One database is restored to a time before an account moved away from it, or to it. The others aren't. */

let [first, second, third]: LocalDatabase[] = [];
let ctx: Context;
beforeAll(async () => {
  [first, second, third] = [openMemoryDatabase(), openMemoryDatabase(), openMemoryDatabase()];
  const { env, ...rest } = first.context();
  const databases = { DB_1: second.d1, DB_2: third.d1 };
  ctx = { ...rest, env: { ...env, ...databases, ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() } };
  for (const name of Object.keys(databases)) await openForAccounts(ctx, name, async () => {});
});
afterAll(() => Promise.all([first, second, third].map((database) => database!.close())));

let accountId: string;
let apiKey: string;
let templateId: string;
beforeEach(async () => {
  const created = await createAccount(ctx, { name: 'Moving' }, { database: 'DB_1' });
  [accountId, apiKey] = [created.account.id, created.apiKey];
  templateId = await makeTemplate(await actForAccount(ctx, accountId));
});

const addPass = async () =>
  (await createPass(await actForAccount(ctx, accountId), templateId, {}, { wait: true })).pass.id;

const all = async ({ d1 }: LocalDatabase, statement: string, ...values: unknown[]) =>
  (
    await d1
      .prepare(statement)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

const passesIn = async (database: LocalDatabase) =>
  (await all(database, 'select id from passes where account_id = ? order by id', accountId)).map(({ id }) => id);

const TABLES = ['accounts', 'passes', 'templates', 'template_versions', 'api_keys', 'account_moves'];
const isOf = (table: string) => {
  if (table === 'template_versions') return 'template_id in (select id from templates where account_id = ?)';
  return `${table === 'accounts' ? 'id' : 'account_id'} = ?`;
};

/** Keeps the account's rows of a database, for a restore of that database alone. */
async function backUp(database: LocalDatabase): Promise<() => Promise<void>> {
  const kept = await Promise.all(
    TABLES.map((table) => all(database, `select * from ${table} where ${isOf(table)}`, accountId)),
  );
  return async () => {
    for (const table of TABLES.toReversed())
      await all(database, `delete from ${table} where ${isOf(table)}`, accountId);
    const triggers = await all(database, "select name from sqlite_master where type = 'trigger' and name like 'move%'");
    for (const { name } of triggers) await all(database, `drop trigger ${name}`);
    for (const [i, rows] of kept.entries()) {
      for (const row of rows) {
        // The database computes these.
        const names = Object.keys(row).filter((name) => name !== 'key' || TABLES[i] !== 'passes');
        const values = names.map((name) => row[name]);
        await all(database, `insert into ${TABLES[i]} (${names}) values (${names.map(() => '?')})`, ...values);
      }
    }
  };
}

/** Returns the databases where the account lives, by its rows. */
async function homes(): Promise<string[]> {
  const listed = await listAccounts(ctx);
  return listed.flatMap(({ id, database }) => (id === accountId ? database : []));
}

const tidy = (database: string, hours = 0) => tidyMoves(inDatabase(ctx, database), Date.now() + hours * 60 * 60_000);

test('a restored database serves no account that has moved away, and its cron makes it an old copy again', async () => {
  const early = await addPass();
  const restore = await backUp(second!);
  await moveAccount(ctx, accountId, 'DB_2');
  const late = await addPass();
  await restore();
  expect(await homes()).toEqual(['DB_1', 'DB_2']);
  expect((await authenticate(ctx, apiKey))?.ctx.database).toBe('DB_2');
  expect((await findPage(ctx, { id: early }, 'page'))?.ctx.database).toBe('DB_2');
  await tidy('DB_2');
  await tidy('DB_1');
  expect(await homes()).toEqual(['DB_2']);
  expect(await passesIn(third!)).toEqual([early, late].sort());
  await tidy('DB_1', 25);
  expect([await passesIn(second!), await passesIn(third!)]).toEqual([[], [early, late].sort()]);
});

test('the account moves on and back, although a restored database has it, too', async () => {
  const early = await addPass();
  const restore = await backUp(second!);
  await moveAccount(ctx, accountId, 'DB_2');
  const late = await addPass();
  await restore();
  expect(await moveAccount(ctx, accountId, 'DB_1')).toMatchObject({ from: 'DB_2', to: 'DB_1', moved: { passes: 2 } });
  expect([await homes(), await passesIn(second!)]).toEqual([['DB_1'], [early, late].sort()]);
});

test('a database restored to the middle of the copy does not continue it', async () => {
  const id = await addPass();
  await all(
    second!,
    `insert into account_moves (account_id, target, step, claim, table_index, started_at, blocked_until_at, is_sealed, has_triggers)
      values (?, 'DB_2', 'copying', '', 0, 1, 0, 0, 1)`,
    accountId,
  );
  const restore = await backUp(second!);
  await all(second!, 'delete from account_moves where account_id = ?', accountId);
  await moveAccount(ctx, accountId, 'DB_2');
  await restore();
  expect(await moveAccount(ctx, accountId, 'DB_2')).toMatchObject({ to: 'DB_2' });
  expect([await homes(), await passesIn(third!)]).toEqual([['DB_2'], [id]]);
});

test('if both databases are restored, the same command corrects the map', async () => {
  const id = await addPass();
  const [restore, restoreTarget] = [await backUp(second!), await backUp(third!)];
  await moveAccount(ctx, accountId, 'DB_2');
  await addPass();
  await restore();
  await restoreTarget();
  expect(await authenticate(ctx, apiKey)).toBeUndefined();
  expect(await moveAccount(ctx, accountId, 'DB_1')).toMatchObject({ from: 'DB_1', to: 'DB_1', moved: {} });
  expect((await authenticate(ctx, apiKey))?.ctx.database).toBe('DB_1');
  expect([await homes(), await passesIn(second!)]).toEqual([['DB_1'], [id]]);
});

/** Restores the map, and lets the isolate forget the newer one. */
async function restoreMap(): Promise<void> {
  await all(first!, 'delete from shard_places where subject = ?', accountId);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  await readMap(ctx);
  expect(placeOfAccount(ctx.env, accountId)).toBe('DB_1');
}

test('if only the directory is restored, the same command corrects the map', async () => {
  await addPass();
  await moveAccount(ctx, accountId, 'DB_2');
  await restoreMap();
  expect(await moveAccount(ctx, accountId, 'DB_2')).toMatchObject({ to: 'DB_2' });
  expect((await authenticate(ctx, apiKey))?.ctx.database).toBe('DB_2');
});

test('if the directory and the old database are restored, the same command ends the later account', async () => {
  const early = await addPass();
  const restore = await backUp(second!);
  await moveAccount(ctx, accountId, 'DB_2');
  await addPass();
  await restore();
  await restoreMap();
  expect((await authenticate(ctx, apiKey))?.ctx.database).toBe('DB_1');
  expect(await homes()).toEqual(['DB_1', 'DB_2']);
  expect(await moveAccount(ctx, accountId, 'DB_1')).toMatchObject({ to: 'DB_1' });
  expect(await homes()).toEqual(['DB_1']);
  await tidy('DB_2', 25);
  expect([await passesIn(second!), await passesIn(third!)]).toEqual([[early], []]);
});

test('an old copy is not deleted by a move, if the database with the account has lost it', async () => {
  const id = await addPass();
  const restoreTarget = await backUp(third!);
  await moveAccount(ctx, accountId, 'DB_2');
  await restoreTarget();
  for (const to of ['DB_1', 'DB_2', 'DB']) {
    await expect(moveAccount(ctx, accountId, to)).rejects.toMatchObject({ kind: 'not_found' });
  }
  expect(await passesIn(second!)).toEqual([id]);
});

test('a backup learns of moves that are under way or have begun since', async () => {
  const look = () => describeDatabase(inDatabase(ctx, 'DB_1'));
  const before = (await look()).moves.length;
  await moveAccount(ctx, accountId, 'DB_2');
  const moved = await look();
  expect([moved.moves.length - before, moved.isMoving]).toEqual([1, false]);
  await all(second!, "update account_moves set step = 'sealed' where account_id = ?", accountId);
  expect((await look()).isMoving).toBe(true);
});
