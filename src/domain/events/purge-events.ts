import { inArray, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { livesHere } from '../moved.ts';
import { oldestRows, PAGE_ROWS, pageOf, runInPages } from '../purge.ts';
import { accountsMovedTo, DIRECTORY } from '../shard-map.ts';
import { OWNERS } from './owners.ts';
import { earlierEvents, events } from './table.ts';

/**
 * Longer than anything that shows an event's body: stored payloads and deliveries are kept for thirty days after they
 * are created.
 */
export const EVENT_RETENTION_DAYS = 32;

const DAY_MS = 24 * 3_600_000;

/** Accounts of one run. The next minute continues. */
const ACCOUNTS_MAX = 100;

/**
 * Cron task: deletes events older than the retention period, each account's oldest first. Events that await their
 * deliveries stay. Reads the first event of each account.
 */
export async function purgeEvents(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - EVENT_RETENTION_DAYS * DAY_MS;
  const isOld = sql`created_at < ${before} and pending is null`;
  const due = await rawStatement<{ owner: string }>(
    ctx.db,
    // The time in an identifier is never later than its event.
    sql`with recursive ${OWNERS} select owner from owners where exists (select 1 from ${events}
      where account_id = owner and id < ${firstUuidAt(before)} and ${isOld}) and ${livesHere(sql.raw('owner'))} limit ${ACCOUNTS_MAX}`,
  );
  for (const { owner } of due) {
    const page = pageOf(events, sql`account_id = ${owner} and id < ${firstUuidAt(before)} and ${isOld}`);
    await runInPages(async () => (await ctx.db.delete(events).where(page)).meta.changes, { enough: PAGE_ROWS });
  }
}

/**
 * Cron task: deletes events of earlier releases that are as old, oldest first. Those of accounts that moved in were
 * stored later than others of their time.
 */
export async function purgeEarlierEvents(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - EVENT_RETENTION_DAYS * DAY_MS;
  const isOld = sql`created_at < ${before}`;
  const condition = sql`pending is null and ${livesHere(earlierEvents.accountId)}`;
  const first = oldestRows(earlierEvents, { columns: sql`key, created_at`, order: sql`key`, isOld, condition });
  await removeEarlier(ctx, sql`(select key from ${first} where ${isOld})`);
  const movers = accountsMovedTo(ctx.env, ctx.database ?? DIRECTORY);
  if (movers.length === 0) return;
  await removeEarlier(
    ctx,
    sql`(select ${earlierEvents.key} from json_each(${JSON.stringify(movers)}) as mover
      cross join ${earlierEvents} indexed by events_by_account on account_id = mover.value
      where ${earlierEvents.id} < ${firstUuidAt(before)} and ${isOld} and ${condition} limit ${PAGE_ROWS})`,
  );
}

/** Removes the pages of events that `keys` selects, until it selects none. */
async function removeEarlier({ db }: Context, keys: SQL): Promise<void> {
  await runInPages(async () => (await db.delete(earlierEvents).where(inArray(earlierEvents.key, keys))).meta.changes);
}
