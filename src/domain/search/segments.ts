import { createHash } from 'node:crypto';
import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { seededUuid, shardOf } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext, Context, Owner } from '../context.ts';
import { invalid, invalidField, notFound } from '../errors.ts';
import { purge } from '../purge.ts';
import { templateIdNamed, whereRestricted } from '../template-restriction.ts';
import { newId, writeOnce } from '../write-once.ts';
import { checkQuery } from './check-query.ts';
import { segments } from './table.ts';

/** A stored query. */
export interface Segment {
  identifier: string;
  title: string;
  query: Record<string, unknown>;
}

const SELECTED = { identifier: segments.id, title: segments.title, query: segments.query };

/** Limits of an account's segments: a list returns all of them. */
const SEGMENTS_MAX = 1_000;
const SEGMENTS_CHARS_MAX = 2_000_000;

/** Stores a query with a title and returns its identifier. Throws what `checkQuery` throws, and `invalid` if full. */
export async function createSegment(
  ctx: AccountContext,
  title: string,
  query: Record<string, unknown>,
): Promise<string> {
  await checkQuery(ctx, query);
  if (ctx.account.templateIds && !query.templateId)
    throw invalidField('query.templateId', 'is required, because your key is restricted to templates');
  const row = { id: newId(ctx, 'segment'), accountId: ctx.account.id, title, query, createdAt: Date.now() };
  // The audit entry omits both: queries and titles may contain values of passes.
  const target = { type: 'segment', id: row.id };
  const isTarget = and(eq(segments.id, row.id), eq(segments.accountId, ctx.account.id));
  const find = async () => (await ctx.db.select({ id: segments.id }).from(segments).where(isTarget))[0]?.id;
  const chars = JSON.stringify(query).length;
  const hasRoom = sql`(select count(*) < ${SEGMENTS_MAX} and total(length(${segments.query})) + ${chars} <= ${SEGMENTS_CHARS_MAX}
    from ${segments} where ${isListed(ctx)})`;
  return writeOnce(ctx, find, async () => {
    const [made] = await ctx.db.batch([
      ctx.db
        .insert(segments)
        .select(sql`select ${rowValues(segments, row)} where ${hasRoom}`)
        .returning({ id: segments.id }),
      recordAction(ctx, { action: 'segment.create', target }),
    ]);
    if (made.length === 0) {
      const limit = `${SEGMENTS_MAX} segments with ${SEGMENTS_CHARS_MAX} characters in all`;
      throw invalid(`An account can have at most ${limit}; delete some first`);
    }
    return row.id;
  });
}

const isListed = ({ account }: Pick<Owner, 'account'>) =>
  and(eq(segments.accountId, account.id), isNull(segments.expiresAt));

/**
 * Builds the condition for the segments visible to a restricted key: those of its templates, and kept queries, which
 * select only passes of its templates. Undefined for an unrestricted key.
 */
function isVisible(owner: Owner): SQL | undefined {
  const template = templateIdNamed(owner, sql`${segments.query} ->> '$.templateId'`);
  return whereRestricted(owner, () => or(isNotNull(segments.expiresAt), sql`${template} is not null`));
}

/** Retention of a query that only the URL of a next page names. */
const KEPT_MS = 24 * 60 * 60_000;

/** Limit of an account's kept queries. Each can have 1 MB, and is needed until the caller has all its pages. */
const KEPT_MAX = 200;

/**
 * Stores a query that is too long for a URL for a day, hidden from lists, and returns its identifier. An equal query
 * keeps its row, and the earliest queries beyond KEPT_MAX are deleted. One round trip.
 */
export async function keepQuery(ctx: AccountContext, query: Record<string, unknown>): Promise<string> {
  const now = Date.now();
  const expiresAt = now + KEPT_MS;
  const digest = createHash('sha256')
    .update(`${ctx.account.id} ${JSON.stringify(query)}`)
    .digest();
  const id = seededUuid(digest, { shard: shardOf(ctx.account.id), millis: 0, ordinal: 0 });
  const isKept = and(eq(segments.accountId, ctx.account.id), isNotNull(segments.expiresAt));
  const latest = ctx.db.select({ id: segments.id }).from(segments).where(isKept);
  const earliest = latest.orderBy(desc(segments.expiresAt), desc(segments.id)).limit(KEPT_MAX).offset(KEPT_MAX);
  await ctx.db.batch([
    ctx.db
      .insert(segments)
      .values({ id, accountId: ctx.account.id, title: '', query, createdAt: now, expiresAt })
      .onConflictDoUpdate({ target: segments.id, set: { query, expiresAt }, setWhere: isKept }),
    ctx.db.delete(segments).where(and(isKept, inArray(segments.id, earliest))),
  ]);
  return id;
}

/** Cron task: deletes expired queries that were kept for the next page of a list. */
export async function purgeQueries(ctx: Context): Promise<void> {
  await purge(ctx, segments, lte(segments.expiresAt, Date.now()));
}

/** Returns the account's segments, oldest first. */
export function listSegments(owner: Owner) {
  return owner.db
    .select(SELECTED)
    .from(segments)
    .where(and(isListed(owner), isVisible(owner)))
    .orderBy(asc(segments.id));
}

/** Returns a segment of the account; throws not found. */
export async function getSegment(ctx: AccountContext, id: string): Promise<Segment> {
  const [segment] = await ctx.db
    .select(SELECTED)
    .from(segments)
    .where(and(eq(segments.id, id), eq(segments.accountId, ctx.account.id), isVisible(ctx)));
  if (!segment) throw notFound();
  return segment;
}

/** Deletes a segment, but not the passes that it selects; throws not found. */
export async function deleteSegment(ctx: AccountContext, id: string): Promise<void> {
  const isTarget = and(eq(segments.id, id), isListed(ctx), isVisible(ctx));
  await enterOnce(ctx, `delete segment ${id}`, async (entryId) => {
    const [deleted] = await ctx.db.batch([
      ctx.db.delete(segments).where(isTarget).returning({ id: segments.id }),
      recordAction(ctx, { id: entryId, action: 'segment.delete', target: { type: 'segment', id } }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}
