import { and, eq, inArray, sql } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/map-concurrent.ts';
import { type Context, inDatabase } from '../context.ts';
import { usedDatabases } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { originalKey } from './stored-image.ts';
import { imageChecks, imageUses } from './table.ts';

/** How long the files of an image may take to be deleted; nobody imports it meanwhile. */
const DELETION_MS = 60_000;
/** Images of one page. Each has an original and a few drawings. */
const PAGE_IMAGES = 50;
const IMAGES_AT_A_TIME = 6;
const ENDED_USES_MAX = 1_000;
/** Pages of one run; the next minute goes on. */
const PAGES_MAX = 10;

/**
 * Cron task, and the end of what deletes passes: deletes the files of images that nobody uses any more. One statement
 * takes an image while it has no use, and from then on no import counts on its files, so a pass that comes meanwhile
 * stores them anew. Databases share the files: each of them has to let the image go.
 */
export async function sweepImages(ctx: Context, now = Date.now()): Promise<void> {
  const others = (await usedDatabases(ctx)).flatMap(({ name }) => (name === (ctx.database ?? DIRECTORY) ? [] : name));
  for (let page = 0; page < PAGES_MAX; page++) {
    const deletingUntilAt = now + DELETION_MS;
    const taken = await takeUnused(ctx, now, deletingUntilAt);
    const free = taken.length > 0 ? await takeElsewhere(ctx, others, taken, deletingUntilAt) : [];
    await mapConcurrent(free, IMAGES_AT_A_TIME, (sha256) => deleteFiles(ctx, sha256));
    if (taken.length > 0) await letGo(ctx, taken, deletingUntilAt);
    for (const name of taken.length > 0 ? others : []) await letGo(inDatabase(ctx, name), taken, deletingUntilAt);
    if (taken.length < PAGE_IMAGES) return;
  }
}

async function letGo({ db }: Context, taken: string[], deletingUntilAt: number): Promise<void> {
  await db
    .delete(imageChecks)
    .where(and(inArray(imageChecks.sha256, taken), eq(imageChecks.deletingUntilAt, deletingUntilAt)));
}

/** Takes images in the other databases, too, and returns those that none of them uses. */
async function takeElsewhere(ctx: Context, names: string[], taken: string[], deletingUntilAt: number) {
  let free = taken;
  for (const name of names) {
    const { db } = inDatabase(ctx, name);
    const listed = sql`select value as sha256 from json_each(${JSON.stringify(free)})`;
    const isUsed = sql`exists (select 1 from ${imageUses} where ${imageUses.sha256} = listed.sha256)`;
    const rows = await db
      .insert(imageChecks)
      .select(
        sql`select listed.sha256, ${deletingUntilAt}, ${deletingUntilAt} from (${listed}) as listed where not ${isUsed}`,
      )
      .onConflictDoUpdate({ target: imageChecks.sha256, set: { deletingUntilAt, dueAt: deletingUntilAt } })
      .returning({ sha256: imageChecks.sha256 });
    free = rows.map(({ sha256 }) => sha256);
  }
  return free;
}

/** Takes images to delete, and strikes those off the list that are used again. */
async function takeUnused(ctx: Context, now: number, deletingUntilAt: number): Promise<string[]> {
  const isUsed = sql`exists (select 1 from ${imageUses} where ${eq(imageUses.sha256, imageChecks.sha256)})`;
  const due = sql`(select ${imageChecks.sha256} from ${imageChecks} where ${imageChecks.dueAt} <= ${now}
    order by ${imageChecks.dueAt} limit ${PAGE_IMAGES})`;
  const ended = sql`(select rowid from ${imageUses} where ${imageUses.expiresAt} <= ${now} limit ${ENDED_USES_MAX})`;
  const [, , taken] = await ctx.db.batch([
    // Requests that have ended without letting go.
    ctx.db.delete(imageUses).where(sql`rowid in ${ended}`),
    ctx.db.delete(imageChecks).where(and(sql`${imageChecks.sha256} in ${due}`, isUsed)),
    ctx.db
      .update(imageChecks)
      .set({ deletingUntilAt, dueAt: deletingUntilAt })
      .where(and(sql`${imageChecks.sha256} in ${due}`, sql`not ${isUsed}`))
      .returning({ sha256: imageChecks.sha256 }),
  ]);
  return taken.map(({ sha256 }) => sha256);
}

/** The drawings first: as long as the original is there, a run that ends in between is known by it. */
async function deleteFiles(ctx: Context, sha256: string): Promise<void> {
  const key = originalKey(sha256);
  const { objects } = await ctx.env.FILES.list({ prefix: `${key}/` });
  await ctx.env.FILES.delete([...objects.map((object) => object.key), key]);
}
