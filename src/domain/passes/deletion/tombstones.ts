import { and, asc, eq, inArray, isNotNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { shardOf } from '../../../platform/ids.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../certificates/find-google-issuer.ts';
import { type GoogleIssuer, googleIssuers } from '../../certificates/table.ts';
import { commit } from '../../commit.ts';
import type { Context } from '../../context.ts';
import { findInShard } from '../../databases/follow-moves.ts';
import { DELAY_S_MAX, later } from '../../enqueue.ts';
import { isNotCopy } from '../../moved.ts';
import type { GoogleKind } from '../../templates/google/kind.ts';
import { passes, passTombstones } from '../table.ts';

/** Builds the statement that records which selected passes devices or Google have, for the batch that deletes them. */
export function leaveTombstones(ctx: Context, selected: SQL) {
  const now = Date.now();
  const kind = sql`iif(${passes.googlePublishedAt} is null, null, ${passes.googleKind})`;
  return ctx.db.insert(passTombstones).select(
    sql`select ${passes.id}, ${passes.accountId}, ${now}, ${kind}, iif(${kind} is null, null, ${now}) from ${passes}
      where ${selected} and (${passes.numberOfActive} + ${passes.numberOfInactive} > 0 or ${kind} is not null)`,
  );
}

/**
 * Builds the query of the oldest passes, at most `limit`, that were deleted before a time (UTC milliseconds) and still
 * have registrations.
 */
export function tombstonesBefore(ctx: Context, millis: number, limit: number) {
  return ctx.db
    .select({ passId: passTombstones.passId })
    .from(passTombstones)
    .where(sql`${lt(passTombstones.deletedAt, millis)} and ${isNotCopy(passTombstones.accountId)}`)
    .orderBy(asc(passTombstones.deletedAt))
    .limit(limit);
}

/**
 * Builds the statement that deletes the tombstones of passes for which `condition` holds, after their registrations.
 */
export function removeTombstones(ctx: Context, passIds: string[], condition: SQL) {
  return ctx.db.delete(passTombstones).where(and(inArray(passTombstones.passId, passIds), condition));
}

/** Deleted pass of an account. */
export interface NamedPass {
  accountId: string;
  passId: string;
}

const NAMED = { accountId: passTombstones.accountId, passId: passTombstones.passId };

const endJob = (named: NamedPass) => ({ type: 'end-google-object', ...named }) as const;

function isOf(accountId: string, passId: string): SQL {
  return and(eq(passTombstones.passId, passId), eq(passTombstones.accountId, accountId))!;
}

/** Object at Google that has to be ended because its pass was deleted. */
export interface DueGoogleObject {
  kind: GoogleKind;
  dueAt: number;
  /** Undefined if the account no longer has one. */
  issuer?: GoogleIssuer;
}

/** Returns the object of a deleted pass that is due to be ended; undefined if there is none. One round trip. */
export async function findDueGoogleObject(
  ctx: Context,
  { accountId, passId }: NamedPass,
): Promise<DueGoogleObject | undefined> {
  const isDue = and(isOf(accountId, passId), isNotNull(passTombstones.googleDueAt));
  const [[row], issuers] = await ctx.db.batch([
    ctx.db.select().from(passTombstones).where(isDue),
    googleIssuerQuery(ctx.db, accountId),
  ]);
  if (!row?.googleKind || row.googleDueAt === null) return undefined;
  return { kind: row.googleKind, dueAt: row.googleDueAt, issuer: chooseGoogleIssuer(issuers) };
}

/** Records that Google has an object of a deleted pass, even without a tombstone. Returns when it became due. */
export async function requestGoogleEnd(
  ctx: Context,
  { accountId, passId }: NamedPass,
  kind: GoogleKind,
): Promise<number> {
  const now = Date.now();
  const due = { googleKind: kind, googleDueAt: now };
  await ctx.db
    .insert(passTombstones)
    .values({ passId, accountId, deletedAt: now, ...due })
    .onConflictDoUpdate({ target: passTombstones.passId, set: due, setWhere: eq(passTombstones.accountId, accountId) });
  return now;
}

/** Records that the object has ended, unless it became due again in the meantime. */
export async function recordGoogleEnd(ctx: Context, { accountId, passId }: NamedPass, dueAt: number): Promise<void> {
  await ctx.db
    .update(passTombstones)
    .set({ googleDueAt: null })
    .where(and(isOf(accountId, passId), eq(passTombstones.googleDueAt, dueAt)));
}

/** Postpones ending the object of a deleted pass to a message that arrives in `afterSeconds`. */
export async function postponeGoogleEnd(
  ctx: Context,
  { accountId, passId }: NamedPass,
  dueAt: number,
  afterSeconds: number,
): Promise<void> {
  const postpone = ctx.db
    .update(passTombstones)
    .set({ googleDueAt: Date.now() + Math.min(afterSeconds, DELAY_S_MAX) * 1_000 })
    .where(and(isOf(accountId, passId), eq(passTombstones.googleDueAt, dueAt)))
    .returning(NAMED);
  await commit(ctx, [postpone], ([postponed]) => postponed.map((named) => later(endJob(named), afterSeconds)));
}

/** Makes the object of a deleted pass due again if it belongs to this issuer: a holder saved it with an old link. */
export async function reviveGoogleObject(ctx: Context, passId: string, issuerId: string): Promise<void> {
  await findInShard(ctx, { shard: shardOf(passId) }, (home) => reviveIn(home, passId, issuerId));
}

async function reviveIn(ctx: Context, passId: string, issuerId: string): Promise<true | undefined> {
  const isOfAccount = sql`exists (select 1 from ${googleIssuers} where ${eq(googleIssuers.issuerId, issuerId)}
    and (${googleIssuers.accountId} is null or ${googleIssuers.accountId} = ${passTombstones.accountId}))`;
  const revive = ctx.db
    .update(passTombstones)
    .set({ googleDueAt: Date.now() })
    .where(
      and(
        eq(passTombstones.passId, passId),
        isNotNull(passTombstones.googleKind),
        isOfAccount,
        isNotCopy(passTombstones.accountId),
      ),
    )
    .returning(NAMED);
  const [revived] = await commit(ctx, [revive], ([due]) => due.map(endJob));
  return revived.length > 0 || undefined;
}

/** Lease of the job of an object, in milliseconds. After it, the cron sends another job. */
const LEASE_MS = 10 * 60_000;
/** Objects per run, as many as a batch of a queue holds; the next run continues a minute later. */
const OBJECTS_MAX = 100;

/** Cron task: sends new jobs for due objects of deleted passes whose job was lost. Claims them for a lease. */
export async function resumeGoogleEnds(ctx: Context, now = Date.now()): Promise<void> {
  const due = ctx.db
    .select({ passId: passTombstones.passId })
    .from(passTombstones)
    .where(sql`${lte(passTombstones.googleDueAt, now - LEASE_MS)} and ${isNotCopy(passTombstones.accountId)}`)
    .orderBy(asc(passTombstones.googleDueAt))
    .limit(OBJECTS_MAX);
  const claim = ctx.db
    .update(passTombstones)
    .set({ googleDueAt: now })
    .where(inArray(passTombstones.passId, due))
    .returning(NAMED);
  await commit(ctx, [claim], ([claimed]) => claimed.map(endJob));
}
