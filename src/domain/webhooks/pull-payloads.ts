import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { rawStatement } from '../../platform/raw-statement.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import type { EventType } from '../events/catalog.ts';
import { earlierEvents, events } from '../events/table.ts';
import { completeBody, type LinkedEvent, linkedPass } from '../passes/pass-event.ts';
import { PAGE_ROWS } from '../purge.ts';
import { writeOnce } from '../write-once.ts';
import { countOut, isOpenIn, ofScope, openCount, openIndexOf, type PayloadScope } from './payload-counts.ts';
import { webhookPayloads } from './table.ts';

/** Selection of payloads to fetch. */
interface PayloadQuery {
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

/**
 * Acknowledges all payloads of the account, or of one subscription, up to `upTo` in sequence, and returns their number.
 * Simultaneous calls count each payload once. An interrupted call has acknowledged the oldest ones; a repeat continues.
 * Throws not found for an unknown payload.
 */
export async function acknowledgePayloads(ctx: AccountContext, upTo: string, subscriptionId?: string): Promise<number> {
  const scope = { accountId: ctx.account.id, subscriptionId };
  const named = and(eq(webhookPayloads.id, upTo), eq(webhookPayloads.accountId, ctx.account.id));
  const last = sql`(select sequence from ${webhookPayloads} where ${named})`;
  const page = sql`(select sequence from ${webhookPayloads} indexed by ${openIndexOf(scope)}
    where ${isOpenIn(scope)} and sequence <= ${last} order by sequence limit ${PAGE_ROWS})`;
  let acknowledged = 0;
  // The random fraction of a millisecond distinguishes calls in the same millisecond.
  const at = Date.now() + Math.random();
  const target = { type: 'webhook_payload', id: upTo };
  const entry = recordAction(ctx, { action: 'webhook_payload.acknowledge', target });
  // A page whose response was lost is counted by its time.
  const find = async () => {
    const changes = (await countAt(ctx, scope, at)) - acknowledged;
    return changes > 0 ? { exists: true, changes } : undefined;
  };
  for (;;) {
    const alongside = acknowledged === 0 ? [entry] : [];
    const { exists, changes } = await writeOnce({}, find, () => acknowledgePage(ctx, { page, last, at, alongside }));
    if (!exists) throw notFound();
    acknowledged += changes;
    if (changes < PAGE_ROWS) return acknowledged;
  }
}

interface Page {
  page: SQL;
  last: SQL;
  at: number;
  alongside: BatchItem<'sqlite'>[];
}

async function acknowledgePage(ctx: AccountContext, { page, last, at, alongside }: Page) {
  const [[named], , update] = await ctx.db.batch([
    ctx.db.select({ sequence: sql<number | null>`${last}`.as('sequence') }).from(sql`(select 1)`),
    countOut(ctx, page),
    ctx.db.update(webhookPayloads).set({ acknowledgedAt: at }).where(sql`sequence in ${page}`),
    ...alongside,
  ]);
  return { exists: named?.sequence != null, changes: update.meta.changes };
}

/** Returns the number of payloads of a scope that were acknowledged at this time. */
async function countAt(ctx: AccountContext, scope: PayloadScope, at: number): Promise<number> {
  const isTarget = and(ofScope(scope), eq(webhookPayloads.acknowledgedAt, at));
  const [row] = await ctx.db.select({ count: count() }).from(webhookPayloads).where(isTarget);
  return row!.count;
}
