import { asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { clockOffset } from '../../../platform/clock.ts';
import { type Context, inAccount } from '../../context.ts';
import { walkDatabases } from '../../databases/walk-databases.ts';
import { invalidField } from '../../errors.ts';
import { isNotCopy } from '../../moved.ts';
import { runInPages } from '../../purge.ts';
import { passDocuments, passes, searchReindex } from '../table.ts';
import { indexPasses, keepFolded } from './index-pass.ts';

/** Passes per batch, and batches per call. */
const PAGE_PASSES = 250;
const PAGES_MAX = 20;

/**
 * Indexes stored passes again, of an account or all: after a restore, or a change of the index. Starts after `afterKey`
 * (0: from the first pass) and returns the last key, or null at the end. Passes that change concurrently are indexed by
 * their change.
 */
export async function reindexPasses(
  ctx: Context,
  { accountId, afterKey }: { accountId?: string; afterKey: number },
): Promise<{ indexed: number; next: number | null }> {
  const ofAccount = accountId === undefined ? isNotCopy(passes.accountId) : eq(passes.accountId, accountId);
  let [indexed, after] = [0, afterKey];
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await ctx.db
      .select()
      .from(passes)
      .where(sql`${gt(passes.key, after)} and ${ofAccount}`)
      .orderBy(asc(passes.key))
      .limit(PAGE_PASSES);
    if (rows.length > 0) {
      const states = rows.map((pass) => ({ pass, version: pass.version }));
      await ctx.db.batch([...keepFolded(ctx, states), ...indexPasses(ctx, states)] as unknown as [BatchItem<'sqlite'>]);
    }
    indexed += rows.length;
    if (rows.length < PAGE_PASSES) return { indexed, next: null };
    after = rows.at(-1)!.key;
  }
  return { indexed, next: after };
}

/** Same for operators: for an account where it lives, or for all databases one after another. */
export async function reindexEverywhere(
  ctx: Context,
  accountId: string | undefined,
  after: string | undefined,
): Promise<{ indexed: number; next: string | null }> {
  const part = async (home: Context, place: string | undefined) => {
    if (place !== undefined && !/^\d{1,15}$/.test(place))
      throw invalidField('after', 'must be the value of "next" from an earlier run');
    const { indexed, next } = await reindexPasses(home, { accountId, afterKey: Number(place ?? 0) });
    return { indexed, next: next === null ? null : String(next) };
  };
  if (accountId !== undefined) return part(inAccount(ctx, accountId), after);
  const together = (a: { indexed: number }, { indexed, next }: { indexed: number; next: string | null }) => ({
    indexed: a.indexed + indexed,
    next,
  });
  return walkDatabases(ctx, { after, work: part, together });
}

/**
 * Continues reindexing after an upgrade that requires it, a few thousand passes per call. Otherwise reads one row.
 * Concurrent runs are harmless.
 */
export async function resumeReindex(ctx: Context): Promise<void> {
  const [open] = await ctx.db.select().from(searchReindex).limit(1);
  if (!open) return;
  const { next } = await reindexPasses(ctx, { afterKey: open.afterKey });
  const mine = eq(searchReindex.afterKey, open.afterKey);
  if (next === null) await ctx.db.delete(searchReindex).where(mine);
  else await ctx.db.update(searchReindex).set({ afterKey: next }).where(mine);
}

/**
 * Cron task: deletes documents of earlier releases after the upgrade that finds values in the rows of passes, a few
 * thousand per call. Otherwise reads an empty table. Search reads documents until then, so concurrent runs and changes
 * are harmless.
 */
export async function removeDocuments(ctx: Context): Promise<void> {
  for (let page = 0, after = 0; page < PAGES_MAX; page++) {
    const rows = await ctx.db
      .select(getTableColumns(passes))
      .from(passDocuments)
      .innerJoin(passes, eq(passes.key, passDocuments.key))
      .where(sql`${gt(passDocuments.key, after)} and ${isNotCopy(passes.accountId)}`)
      .orderBy(asc(passDocuments.key))
      .limit(PAGE_PASSES);
    if (rows.length === 0) return;
    const states = rows.map((pass) => ({ pass, version: pass.version }));
    await ctx.db.batch(keepFolded(ctx, states) as [BatchItem<'sqlite'>]);
    after = rows.at(-1)!.key;
  }
}

/*
 * Deleting a row of `pass_terms` only adds a tombstone. Its terms stay in the blocks of the index until FTS5 merges the
 * segments that contain them (SQLite, FTS5, "The 'merge' Command"), which may never happen to the largest one.
 */

const MINUTE_MS = 60_000;
/** Time between two merges of a whole index: each writes about one row for two passes. */
const PERIOD_MINUTES = 3.5 * 24 * 60;
/** Minutes in which a merge continues. */
const CONTINUES_MINUTES = 60;
/** Blocks that a statement writes: fewer than 1,000 rows, with their entries in the index of blocks. */
const PAGE_BLOCKS = 250;
/** Statements of one run, about three seconds. */
const MERGES_MAX = 100;
/** Rows that even a merge without work changes. */
const ROWS_WITHOUT_WORK = 2;

/**
 * Cron task: twice a week, removes the terms of deleted passes from the blocks of the search index, by merging all of
 * its segments. A negative number begins this; positive ones continue, and end even if passes change meanwhile.
 */
export async function mergeTerms(ctx: Context, now = Date.now()): Promise<void> {
  // A local service whose clock was advanced skips minutes.
  const minute = clockOffset() > 0 ? 0 : Math.floor(now / MINUTE_MS) % PERIOD_MINUTES;
  if (minute >= CONTINUES_MINUTES) return;
  const merge = async (blocks: number) => {
    const { meta } = await ctx.db.run(sql.raw(`insert into pass_terms (pass_terms, rank) values ('merge', ${blocks})`));
    return meta.changes;
  };
  if (minute === 0) await merge(-PAGE_BLOCKS);
  await runInPages(() => merge(PAGE_BLOCKS), { enough: ROWS_WITHOUT_WORK, pagesMax: MERGES_MAX });
}
