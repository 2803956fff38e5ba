import { and, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/concurrency.ts';
import { type Context, inDatabase } from '../context.ts';
import { usedDatabases } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { originalKey } from './stored-image.ts';
import { imageChecks, imageUses } from './table.ts';

/** Time limit for deleting the files of an image, in milliseconds. Nobody imports the image during that time. */
const DELETION_MS = 60_000;
/** Images per page. Each has an original and a few drawings. */
const PAGE_IMAGES = 50;
const IMAGES_AT_A_TIME = 6;
const ENDED_USES_MAX = 1_000;
/** Pages per run; the next run continues a minute later. */
const PAGES_MAX = 10;

/**
 * Cron task, and the last step of deletions of passes: deletes the files of unused images. One statement claims an
 * image while it is unused. From then on no import relies on its files, so a new pass stores them again. Databases
 * share the files, so every database must release the image, and one run at a time deletes it.
 */
export async function sweepImages(ctx: Context, now = Date.now()): Promise<void> {
  const others = (await usedDatabases(ctx)).flatMap(({ name }) => (name === (ctx.database ?? DIRECTORY) ? [] : name));
  for (let page = 0; page < PAGES_MAX; page++) {
    // With fractions of a millisecond, so that no other run's claims end at this time.
    const deletingUntilAt = now + DELETION_MS + Math.random();
    const taken = await claimUnused(ctx, now, deletingUntilAt);
    if (taken.length > 0) await deleteClaimed(ctx, { others, taken, deletingUntilAt, now });
    if (taken.length < PAGE_IMAGES) return;
  }
}

/** Images that a run has claimed in its own database, and the names of the others. */
interface Claimed {
  others: string[];
  taken: string[];
  deletingUntilAt: number;
  now: number;
}

async function deleteClaimed(ctx: Context, claimed: Claimed): Promise<void> {
  const { others, taken, deletingUntilAt, now } = claimed;
  const { free, busy } = await claimInDatabases(ctx, claimed);
  await mapConcurrent(free, IMAGES_AT_A_TIME, (sha256) => deleteFiles(ctx, sha256));
  if (busy.length > 0) await postpone(ctx, busy, deletingUntilAt, now);
  await deleteChecks(ctx, taken, deletingUntilAt);
  for (const name of others) await deleteChecks(inDatabase(ctx, name), taken, deletingUntilAt);
}

/** Releases images that the run of another database is deleting. A random delay lets one of the two runs come first. */
async function postpone({ db }: Context, busy: string[], deletingUntilAt: number, now: number): Promise<void> {
  const dueAt = Math.floor(now + DELETION_MS * (1 + Math.random()));
  await db.update(imageChecks).set({ deletingUntilAt: null, dueAt }).where(isClaimedUntil(busy, deletingUntilAt));
}

const isClaimedUntil = (images: string[], deletingUntilAt: number) =>
  and(inArray(imageChecks.sha256, images), eq(imageChecks.deletingUntilAt, deletingUntilAt));

async function deleteChecks({ db }: Context, taken: string[], deletingUntilAt: number): Promise<void> {
  await db.delete(imageChecks).where(isClaimedUntil(taken, deletingUntilAt));
}

/** Claims images in the other databases too. Returns those that no database uses, and those that another run claims. */
async function claimInDatabases(ctx: Context, { others, taken, deletingUntilAt, now }: Claimed) {
  let free = taken;
  const busy: string[] = [];
  for (const name of others) {
    const { db } = inDatabase(ctx, name);
    const listed = sql`select value as sha256 from json_each(${JSON.stringify(free)})`;
    const isUsed = sql`exists (select 1 from ${imageUses} where ${imageUses.sha256} = listed.sha256)`;
    const { sha256, deletingUntilAt: claimedUntilAt } = imageChecks;
    const [mine, theirs] = await db.batch([
      db
        .insert(imageChecks)
        .select(
          sql`select listed.sha256, ${deletingUntilAt}, ${deletingUntilAt} from (${listed}) as listed where not ${isUsed}`,
        )
        .onConflictDoUpdate({
          target: sha256,
          set: { deletingUntilAt, dueAt: deletingUntilAt },
          setWhere: or(isNull(claimedUntilAt), lte(claimedUntilAt, now)),
        })
        .returning({ sha256 }),
      db
        .select({ sha256 })
        .from(imageChecks)
        .where(and(inArray(sha256, free), gt(claimedUntilAt, now), ne(claimedUntilAt, deletingUntilAt))),
    ]);
    free = mine.map((row) => row.sha256);
    busy.push(...theirs.map((row) => row.sha256));
  }
  return { free, busy };
}

/** Claims unused images for deletion and removes images from the list that are in use again. */
async function claimUnused(ctx: Context, now: number, deletingUntilAt: number): Promise<string[]> {
  const isUsed = sql`exists (select 1 from ${imageUses} where ${eq(imageUses.sha256, imageChecks.sha256)})`;
  const due = sql`(select ${imageChecks.sha256} from ${imageChecks} where ${imageChecks.dueAt} <= ${now}
    order by ${imageChecks.dueAt} limit ${PAGE_IMAGES})`;
  const ended = sql`(select rowid from ${imageUses} where ${imageUses.expiresAt} <= ${now} limit ${ENDED_USES_MAX})`;
  const [, , taken] = await ctx.db.batch([
    // Uses of requests that ended without releasing their images.
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

/** Deletes the drawings first: while the original exists, the next run can finish an interrupted one. */
async function deleteFiles(ctx: Context, sha256: string): Promise<void> {
  const key = originalKey(sha256);
  const { objects } = await ctx.env.FILES.list({ prefix: `${key}/` });
  await ctx.env.FILES.delete([...objects.map((object) => object.key), key]);
}
