import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveAccount } from '../../../src/domain/account-moves/move-account.ts';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import { type AccountContext, type Context, inDatabase } from '../../../src/domain/context.ts';
import { openForAccounts } from '../../../src/domain/databases/open-database.ts';
import { purgeEarlierEvents, purgeEvents } from '../../../src/domain/events/purge-events.ts';
import { purgeIdempotencyKeys } from '../../../src/domain/idempotency/idempotent-requests.ts';
import { purgeFacts } from '../../../src/domain/pass-facts/purge-facts.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { purgeBundleLinks } from '../../../src/domain/passes/purge-bundle-links.ts';
import { PAGE_ROWS } from '../../../src/domain/purge.ts';
import { purgeTakenCallbacks } from '../../../src/domain/registrations/record-save.ts';
import { foldCounts } from '../../../src/domain/statistics/fold-counts.ts';
import { purgePayloads } from '../../../src/domain/webhooks/purge-payloads.ts';
import { setClockSteps } from '../../../src/platform/clock.ts';
import { jobQueues, queueTo } from '../../support/fake-queue.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { type LocalDatabase, openLocalDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

/* The old copy of a moved account has the oldest rows of its database, a full page. The cron must not touch them. */

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
    row: "(id, account_id, type, body, created_at) select account || n, account, 'pass_updated', '[]', 1",
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

let [first, second]: LocalDatabase[] = [];
let ctx: Context;
beforeAll(async () => {
  [first, second] = [await openLocalDatabase(), await openLocalDatabase()];
  const { env, ...rest } = first.context();
  const queues = { ...jobQueues(), WEBHOOKS: queueTo(), TICKS: queueTo() };
  ctx = { ...rest, env: { ...env, ...queues, DB_1: second.d1, FILES: memoryBucket() } };
  await openForAccounts(ctx, 'DB_1', async () => {});
  // Otherwise, bundles are checked once a week.
  setClockSteps([{ machineAt: 0, offsetMs: 1 }]);
});
afterAll(async () => {
  setClockSteps([]);
  await first!.close();
  await second!.close();
});

/** Creates an account with a pass and old rows in a table. */
async function accountWith(rows: number, table: string): Promise<AccountContext> {
  const { account } = await createAccount(ctx, { name: table }, { database: 'DB' });
  const acting = await actForAccount(ctx, account.id);
  const { pass } = await createPass(acting, await makeTemplate(acting), {}, { wait: true });
  const numbers = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?3)';
  const values = TABLES[table]!.row.replace(' select ', ` ${numbers} select `);
  const from = 'from numbers, (select ?1 as account, ?2 as pass)';
  await first!.d1.prepare(`insert into ${table} ${values} ${from}`).bind(account.id, pass.id, rows).run();
  return acting;
}

async function rowsOf(table: string): Promise<number> {
  const { results } = await first!.d1.prepare(`select count(*) as rows from ${table}`).all<{ rows: number }>();
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
