import { sql } from 'drizzle-orm';
import { commit } from '../../commit.ts';
import type { Context } from '../../context.ts';
import { IMAGES_DUE_AT, passes } from '../table.ts';

/** Passes of one run; the queue takes as many messages at once (Cloudflare, Queues limits). */
const PASSES_MAX = 100;
/** Time of a job asked for anew, with its retries; doubled each time, so that hopeless ones cost little. */
const RESUMED_MS = 15 * 60_000;
const DOUBLINGS_MAX = 10;

/**
 * Cron task: has the images imported that passes still wait for: the job got lost, or failed for good. One statement
 * takes the passes, so that of two crons at once one asks for each; that is no change of the pass.
 */
export async function resumeImageImports(ctx: Context, now = Date.now()): Promise<void> {
  const due = sql`select key from ${passes} where ${IMAGES_DUE_AT} <= ${now}
    order by ${IMAGES_DUE_AT} limit ${PASSES_MAX}`;
  const resumed = sql`coalesce(appearance ->> '$.pendingImages.resumed', 0)`;
  const next = sql`${now} + (${RESUMED_MS} << min(${resumed}, ${DOUBLINGS_MAX}))`;
  const asked = sql`json_set(appearance, '$.pendingImages.dueAt', ${next}, '$.pendingImages.resumed', ${resumed} + 1)`;
  const claim = ctx.db
    .update(passes)
    .set({ appearance: asked })
    .where(sql`key in (${due})`)
    .returning({ passId: passes.id, accountId: passes.accountId });
  await commit(ctx, [claim], ([rows]) => rows.map((row) => ({ type: 'import-pass-images', ...row })));
}
