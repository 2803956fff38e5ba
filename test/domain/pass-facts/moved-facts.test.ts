import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import { type AccountContext, type Context, inAccount, inDatabase } from '../../../src/domain/context.ts';
import { appendFacts, listedFacts } from '../../../src/domain/pass-facts/append-facts.ts';
import { purgeFacts } from '../../../src/domain/pass-facts/purge-facts.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { openTwoDatabases, type TwoDatabases } from '../account-moves/two-databases.ts';
import { makeTemplate } from '../search/crowd.ts';

/* The rows of a moved account are stored later than rows of its new database that began after them. */

const DAY_MS = 24 * 3_600_000;
const NOW = Date.now();
/** Days after which a row is deleted. */
const KEPT_DAYS = 120;

let databases: TwoDatabases;
let ctx: Context;
beforeEach(async () => {
  databases = await openTwoDatabases();
  ({ ctx } = databases);
});
afterEach(async () => {
  await databases.close();
});

/** Creates an account whose pass has rows that began some days ago, `each` a day, the oldest first. */
async function accountWith(database: string, days: number[], each = 1) {
  const { account } = await createAccount(ctx, { name: 'Facts' }, { database });
  const acting = await actForAccount(inDatabase(ctx, database), account.id);
  const { pass } = await createPass(acting, await makeTemplate(acting), {}, { wait: true });
  for (const day of days.toSorted((a, b) => b - a)) {
    const rows = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?3)
      insert into pass_facts (pass_key, began_at, facts) select key, ?2 + n, '[1,5]' from numbers, passes where id = ?1`;
    await (database === 'DB' ? databases.first : databases.second).d1
      .prepare(rows)
      .bind(pass.id, NOW - day * DAY_MS, each)
      .run();
  }
  return { accountId: account.id, passId: pass.id };
}

/** Returns the age in days of each row of an account's pass at its home. */
async function agesOf({ passId }: { passId: string }, database = databases.second): Promise<number[]> {
  const { results } = await database.d1
    .prepare('select began_at as at from pass_facts where pass_key = (select key from passes where id = ?) order by 1')
    .bind(passId)
    .all<{ at: number }>();
  return results.map(({ at }) => Math.floor((NOW + DAY_MS / 2 - at) / DAY_MS));
}

/** Purges the new database, and returns the rows that this reads. */
async function purge(now: number): Promise<number> {
  const { db, meter } = openDatabase(databases.second.d1);
  await purgeFacts({ ...inDatabase(ctx, 'DB_1'), db, meter }, now);
  return meter.rowsRead;
}

test('facts of an account that moved in are deleted 120 days after their row began, like those of others', async () => {
  const staying = await accountWith('DB_1', [100, 50]);
  const moving = await accountWith('DB', [119, 110, 90, 0]);
  await moveAccount(ctx, moving.accountId, 'DB_1');
  expect([await agesOf(moving), await agesOf(staying)]).toEqual([
    [119, 110, 90, 0],
    [100, 50],
  ]);
  for (const days of [5, 15, 40, 75]) {
    await purge(NOW + days * DAY_MS);
    const left = (ages: number[]) => ages.filter((age) => age + days < KEPT_DAYS);
    expect(await agesOf(moving), `${days} days later`).toEqual(left([119, 110, 90, 0]));
    expect(await agesOf(staying), `${days} days later`).toEqual(left([100, 50]));
  }
});

test('facts that moved twice are deleted on time', async () => {
  const moving = await accountWith('DB', [110]);
  await moveAccount(ctx, moving.accountId, 'DB_1');
  await accountWith('DB', [10]);
  await moveAccount(ctx, moving.accountId, 'DB');
  await purgeFacts(inDatabase(ctx, 'DB'), NOW + 11 * DAY_MS);
  expect(await agesOf(moving, databases.first)).toEqual([]);
});

test('a purge with nothing due reads at most five rows, as many if hundreds moved in', async () => {
  await accountWith('DB_1', [50]);
  const few = await accountWith('DB', [50]);
  await moveAccount(ctx, few.accountId, 'DB_1');
  const rowsRead = await purge(NOW);
  expect(rowsRead).toBeLessThanOrEqual(5);
  const many = await accountWith('DB', [110, 30], 400);
  await moveAccount(ctx, many.accountId, 'DB_1');
  expect(await agesOf(many)).toHaveLength(800);
  expect(await purge(NOW)).toBe(rowsRead);
  // Each row that is due: read in the index, in the table with its owner, and deleted.
  expect(await purge(NOW + 11 * DAY_MS)).toBeLessThanOrEqual(400 * 5 + 10);
  expect(await agesOf(many)).toHaveLength(400);
});

test('a further fact of a row that moved in costs one written row', async () => {
  const moving = await accountWith('DB', [3]);
  await moveAccount(ctx, moving.accountId, 'DB_1');
  const { db, meter } = openDatabase(databases.second.d1);
  const home = { ...inAccount(ctx, moving.accountId), db, meter } as AccountContext;
  await appendFacts(home, moving.accountId, listedFacts([{ passId: moving.passId, fact: `[${NOW},5,"one"]` }]));
  expect([meter.rowsWritten, await agesOf(moving)]).toEqual([1, [3]]);
});
