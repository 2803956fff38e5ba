import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import type { EventType } from '../events/catalog.ts';
import { eventsNamed } from '../events/earlier-events.ts';
import { events } from '../events/table.ts';
import { completeBody, type LinkedEvent, linkedPass } from '../passes/event-link.ts';
import { isOpenIn, openCount, openIndexOf } from './payload-counts.ts';
import { webhookPayloads } from './table.ts';

/** Which payloads to fetch. */
export interface PayloadQuery {
  /** Only those of this subscription; one that is unknown has none. */
  subscriptionId?: string;
  /** Only those that were triggered at this time or later, in UTC milliseconds. */
  fromAt?: number;
  limit: number;
}

/** A stored payload that waits to be acknowledged. */
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

/**
 * The first unacknowledged payloads of the account in the order of their sequence, and how many there are in all. One
 * round trip; a page reads its own rows, however much is stored behind it and was acknowledged before. With `fromAt` it
 * reads the payloads from that time on.
 */
export async function listPayloads(
  ctx: AccountContext,
  { subscriptionId, fromAt, limit }: PayloadQuery,
): Promise<{ payloads: OpenPayload[]; total: number }> {
  const scope = { accountId: ctx.account.id, subscriptionId };
  // SQLite has no statistics here, and would take any of the partial indexes.
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
  return { payloads: rows.map((row) => openPayload(ctx, row)), total: counted!.total };
}

function openPayload(ctx: AccountContext, { passId, linked, body, ...payload }: PayloadRow): OpenPayload {
  return { ...payload, body: JSON.parse(completeBody(ctx, { ...payload, passId, linked, body })) };
}

/** The bodies are looked up only for the rows of the page. */
function pageOf(accountId: string, open: SQL, limit: number): SQL {
  return sql`with page as materialized (select * from ${open} order by sequence limit ${limit})
    select page.id, page.subscription_id as subscriptionId, page.type, page.triggered_at as triggeredAt, ${events}.body,
      ${events.passId} as "passId", ${linkedPass} as linked
    from page join ${eventsNamed(accountId, sql`(select event_id from page)`)} on ${events}.id = page.event_id order by page.sequence`;
}
