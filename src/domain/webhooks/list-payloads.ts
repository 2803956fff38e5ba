import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { EventType } from '../events/catalog.ts';
import { earlierEvents, events } from '../events/table.ts';
import { completeBody, type LinkedEvent, linkedPass } from '../passes/pass-event.ts';
import { isOpenIn, openCount, openIndexOf } from './payload-counts.ts';
import { webhookPayloads } from './table.ts';

/** Selection of payloads to fetch. */
export interface PayloadQuery {
  /** Only payloads of this subscription; an unknown one has none. */
  subscriptionId?: string;
  /** Only payloads that were triggered at this time or later, in UTC milliseconds. */
  fromAt?: number;
  limit: number;
}

/** A stored payload that isn't acknowledged. */
export interface OpenPayload {
  id: string;
  subscriptionId: string;
  type: EventType;
  /** UTC milliseconds. */
  triggeredAt: number;
  body: Record<string, unknown>;
}

interface PayloadRow extends Omit<OpenPayload, 'body'>, Pick<LinkedEvent, 'passId' | 'linked'> {
  body: string;
}

/** A page ends with the payload that reaches this number of characters. An isolate has 128 MB. */
const PAGE_CHARS = 8_000_000;

/**
 * Returns the first unacknowledged payloads of the account in sequence, and their total number. One round trip. A page
 * reads only its own rows; with `fromAt` it reads all payloads from that time on.
 */
export async function listPayloads(
  ctx: AccountContext,
  { subscriptionId, fromAt, limit }: PayloadQuery,
): Promise<{ payloads: OpenPayload[]; total: number }> {
  const scope = { accountId: ctx.account.id, subscriptionId };
  // Without statistics, SQLite might choose any of the partial indexes.
  const [index, where] =
    fromAt === undefined
      ? [openIndexOf(scope), isOpenIn(scope)]
      : [sql.raw('webhook_payloads_open_by_time'), sql`${isOpenIn(scope)} and triggered_at >= ${fromAt}`];
  const open = sql`${webhookPayloads} indexed by ${index} where ${where}`;
  const total = fromAt === undefined ? openCount(scope) : sql`(select count(*) from ${open})`;
  const [rows, [counted]] = await ctx.db.batch([
    rawStatement<PayloadRow>(ctx.db, pageOf(ctx.account.id, open, limit)),
    rawStatement<{ total: number }>(ctx.db, sql`select ${total} as total`),
  ]);
  let chars = 0;
  const after = rows.findIndex(({ body }) => {
    const isAfter = chars >= PAGE_CHARS;
    chars += body.length;
    return isAfter;
  });
  const page = after < 0 ? rows : rows.slice(0, after);
  return { payloads: page.map((row) => openPayload(ctx, row)), total: counted!.total };
}

function openPayload(ctx: AccountContext, { passId, linked, body, ...payload }: PayloadRow): OpenPayload {
  return { ...payload, body: JSON.parse(completeBody(ctx, { ...payload, passId, linked, body })) };
}

/** Reads bodies only for the rows of the page, each from one of the two tables of events. */
function pageOf(accountId: string, open: SQL, limit: number): SQL {
  const page = sql`(select * from ${open} order by sequence limit ${limit}) as page`;
  return sql`select id, subscription_id as subscriptionId, type, triggered_at as triggeredAt, body, ${events}.pass_id as "passId", ${linkedPass} as linked
    from (select page.*, coalesce(event.body, earlier.body) as body, coalesce(event.pass_id, earlier.pass_id) as pass_id
      from ${page}
      left join ${events} as event on event.id = page.event_id and event.account_id = ${accountId}
      left join ${earlierEvents} as earlier on event.id is null and earlier.id = page.event_id and +earlier.account_id = ${accountId}
    ) as ${events} where body is not null order by sequence`;
}
