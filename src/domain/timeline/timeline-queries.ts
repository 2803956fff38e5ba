import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { appScans } from '../app-scans/table.ts';
import type { AccountContext } from '../context.ts';
import { events } from '../events/table.ts';
import { TOKEN_MARK } from '../events/token-mark.ts';
import { messages } from '../messages/table.ts';
import { passes } from '../passes/table.ts';
import { pendingPushes } from '../pushes/table.ts';
import { registrations } from '../registrations/table.ts';

/**
 * A line of a timeline. `what` and `detail` by source: event: type; scan: reason and device; message:
 * `<channel> <status>` and recipient; registered and removed: the operating system; push: state and text; image: field
 * and reason.
 */
export interface TimelineEntry {
  /** Unique in the timeline of a pass; names no device. */
  id: string;
  /** UTC milliseconds. */
  at: number;
  source: 'created' | 'event' | 'scan' | 'message' | 'registered' | 'removed' | 'push' | 'image';
  what: string | null;
  detail: string | null;
}

/** Behind which entry a page begins. */
export type TimelinePlace = Pick<TimelineEntry, 'at' | 'id'>;

/** Events that no other source has, or that are kept longer. */
const TOLD_EVENTS = sql.raw(`('pass_updated', 'pass_voided', 'pass_unvoided')`);

/**
 * The statements that read a page of a pass's history, one for each source, because D1 takes five selects in a union.
 * Each reads at most `limit` rows by an index; `mergeTimeline` joins the rows. Changes last as long as events, messages
 * ninety days. Passes of other accounts have no entries.
 */
export function timelineQueries(
  ctx: AccountContext,
  passId: string,
  { before, limit }: { before?: TimelinePlace; limit: number },
) {
  const mine = sql`account_id = ${ctx.account.id} and pass_id = ${passId}`;
  const system = sql.raw(`case when saves is null then 'iOS' else 'Android' end`);
  const created = sql`id = ${passId} and account_id = ${ctx.account.id}`;
  const sources = [
    sql`select id, created_at as at, 'created' as source, null as what, null as detail from ${passes} where ${created}`,
    sql`select id, created_at as at, 'event' as source, type as what, null as detail from ${events} where ${mine} and type in ${TOLD_EVENTS}`,
    sql`select id, created_at as at, 'scan' as source, reason || iif(undone_at is null, '', ' undone') as what, device_name as detail
      from ${appScans} where ${mine}`,
    sql`select id, created_at as at, 'message' as source, channel || ' ' || status as what, recipient as detail from ${messages} where ${mine}`,
    sql`select 'device-' || rowid as id, registered_at as at, 'registered' as source, ${system} as what, null as detail from ${registrations} where ${mine}`,
    sql`select 'ended-' || rowid as id, ended_at as at, 'removed' as source, ${system} as what, null as detail from ${registrations}
      where ${mine} and ended_at is not null`,
    sql`select 'image-' || error.key as id, error.value ->> 'at' as at, 'image' as source, error.value ->> 'field' as what,
      error.value ->> 'message' as detail
      from ${passes}, json_each(${passes.appearance}, '$.importErrors') as error where ${passes.id} = ${passId} and ${passes.accountId} = ${ctx.account.id}`,
    sql`select 'push-' || wallet as id, requested_at as at, 'push' as source, wallet as what, replace(text, ${TOKEN_MARK}, '…') as detail from ${pendingPushes}
      where ${mine} and wallet in ('apple', 'google')`,
  ];
  const behind = before ? sql`where (at, id) < (${before.at}, ${before.id})` : sql``;
  return sources.map((source) =>
    rawStatement<TimelineEntry>(
      ctx.db,
      sql`select * from (${source}) ${behind} order by at desc, id desc limit ${limit}`,
    ),
  );
}

/** The page that the rows of `timelineQueries` make. */
export function mergeTimeline(rows: TimelineEntry[][], limit: number): TimelineEntry[] {
  const isNewer = (a: TimelineEntry, b: TimelineEntry) => b.at - a.at || (a.id < b.id ? 1 : -1);
  return rows.flat().sort(isNewer).slice(0, limit);
}
