import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import { type AccountContext, type Context, inDatabase } from '../../../src/domain/context.ts';
import { purgeEarlierEvents, purgeEvents } from '../../../src/domain/events/purge-events.ts';
import { purgeIdempotencyKeys } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { purgeFacts } from '../../../src/domain/pass-facts/purge-facts.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { purgeBundleLinks } from '../../../src/domain/passes/purge-bundle-links.ts';
import { PAGE_ROWS } from '../../../src/domain/purge.ts';
import { purgeTakenCallbacks } from '../../../src/domain/registrations/record-save.ts';
import { foldCounts } from '../../../src/domain/statistics/fold-counts.ts';
import { purgePayloads } from '../../../src/domain/webhooks/payload-counts.ts';
import { setClockSteps } from '../../../src/platform/clock.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import { makeTemplate } from '../search/crowd.ts';
import { openTwoDatabases, type TwoDatabases } from './two-databases.ts';

/*
 * The old copy of a moved account has the oldest rows of its database, a full page. The cron must not touch them. In
 * its new database, its rows are stored later than others of their time.
 */

/** By table: the columns and values of old rows, numbered `n`, and the task that deletes them. */
const TABLES: Record<string, { row: string; task: (ctx: Context) => Promise<void> }> = {
  account_events: {
    row: "(id, account_id, type, body, created_at, pass) select printf('0-%d', n), account, 'pass_updated', '[]', 1, zeroblob(16)",
    task: (ctx) => purgeEvents(ctx),
  },
  bundle_links: {
    row: '(account_id, bundle_id, page_token, created_at, empty_since_at) select account, n, account || n, 1, 1',
    task: (ctx) => purgeBundleLinks(ctx),
  },
  daily_counts: {
    row: "(account_id, metric, day_at, count) select account, 'pass_updated', n, 1",
    task: (ctx) => foldCounts(ctx),
  },
  events: {
    row: "(id, account_id, type, body, created_at) select '0' || account || n, account, 'pass_updated', '[]', 1",
    task: (ctx) => purgeEarlierEvents(ctx),
  },
  hourly_counts: {
    row: "(account_id, metric, hour_at, count) select account, 'pass_updated', n, 1",
    task: (ctx) => foldCounts(ctx),
  },
  pass_facts: {
    row: "(pass_key, began_at, facts) select (select key from passes where id = pass), n, ''",
    task: (ctx) => purgeFacts(ctx),
  },
  reply_subjects: {
    row: '(pass_id, account_id, key, kept_at) select pass, account, n, 1',
    task: (ctx) => purgeIdempotencyKeys(ctx),
  },
  taken_callbacks: {
    row: "(pass_id, nonce, taken_by, expires_at) select pass, n, '', n",
    task: (ctx) => purgeTakenCallbacks(ctx),
  },
  webhook_payloads: {
    row: "(id, account_id, subscription_id, event_id, type, triggered_at) select account || n, account, '', '', 'pass_updated', 1",
    task: (ctx) => purgePayloads(ctx),
  },
};

let databases: TwoDatabases;
let ctx: Context;
beforeEach(async () => {
  databases = await openTwoDatabases();
  ({ ctx } = databases);
  // Otherwise, bundles are checked once a week.
  setClockSteps([{ machineAt: 0, offsetMs: 1 }]);
});
afterEach(async () => {
  setClockSteps([]);
  await databases.close();
});

/** Creates an account with a pass and old rows in a table. */
async function accountWith(rows: number, table: string, database = 'DB'): Promise<AccountContext> {
  const { account } = await createAccount(ctx, { name: table }, { database });
  const acting = await actForAccount(ctx, account.id);
  const { pass } = await createPass(acting, await makeTemplate(acting), {}, { wait: true });
  const numbers = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?3)';
  const values = TABLES[table]!.row.replace(' select ', ` ${numbers} select `);
  const from = 'from numbers, (select ?1 as account, ?2 as pass)';
  const { d1 } = database === 'DB' ? databases.first : databases.second;
  await d1.prepare(`insert into ${table} ${values} ${from}`).bind(account.id, pass.id, rows).run();
  return acting;
}

async function rowsOf(table: string, database = databases.first): Promise<number> {
  const { results } = await database.d1.prepare(`select count(*) as rows from ${table}`).all<{ rows: number }>();
  return results[0]!.rows;
}

test.each(Object.keys(TABLES))('the cron deletes old rows of %s beside those of an old copy', async (table) => {
  const { account } = await accountWith(PAGE_ROWS, table);
  await moveAccount(ctx, account.id, 'DB_1');
  await accountWith(1, table);
  const before = await rowsOf(table);
  await TABLES[table]!.task(inDatabase(ctx, 'DB'));
  expect(before - (await rowsOf(table))).toBe(1);
});

/** By table in which rows are found by the order in which they are stored: their time. */
const TIMES = { events: 'created_at', pass_facts: 'began_at', webhook_payloads: 'triggered_at' };

test.each(Object.entries(TIMES))(
  'the cron deletes old rows of %s that moved in, behind younger ones',
  async (table, time) => {
    await accountWith(2, table, 'DB_1');
    await databases.second.d1.prepare(`update ${table} set ${time} = ?1 + ${time}`).bind(Date.now()).run();
    const { account } = await accountWith(3, table);
    await moveAccount(ctx, account.id, 'DB_1');
    const before = await rowsOf(table, databases.second);
    const home = { ...inDatabase(ctx, 'DB_1'), ...openDatabase(databases.second.d1) };
    await TABLES[table]!.task(home);
    expect(before - (await rowsOf(table, databases.second))).toBe(3);
    const { rowsRead } = home.meter;
    // Again with nothing due.
    await TABLES[table]!.task(home);
    expect(home.meter.rowsRead - rowsRead).toBeLessThanOrEqual(20);
  },
);
