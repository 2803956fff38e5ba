import { sql } from 'drizzle-orm';
import { commit } from '../../commit.ts';
import type { Context } from '../../context.ts';
import { livesHere } from '../../moved.ts';
import { IMAGES_DUE_AT, passes } from '../table.ts';

/** Passes per run; a queue takes this many messages at once (Cloudflare, Queues limits). */
const PASSES_MAX = 100;
/** Time for another job including its retries. It doubles each time, so that hopeless imports cost little. */
const RESUMED_MS = 15 * 60_000;
const DOUBLINGS_MAX = 10;

/**
 * Cron task: sends another job for images that are still pending, because their job was lost or failed. One statement
 * claims the passes, so concurrent runs send one job for each. This isn't a change of the pass.
 */
export async function resumeImageImports(ctx: Context, now = Date.now()): Promise<void> {
  const due = sql`select key from ${passes} where ${IMAGES_DUE_AT} <= ${now} and ${livesHere(passes.accountId)}
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
