import { sql } from 'drizzle-orm';
import { clockOffset } from '../../../platform/clock.ts';
import type { Context } from '../../context.ts';
import { runInPages } from '../../purge.ts';

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
const PAGES_MAX = 100;
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
  await runInPages(() => merge(PAGE_BLOCKS), { enough: ROWS_WITHOUT_WORK, pagesMax: PAGES_MAX });
}
