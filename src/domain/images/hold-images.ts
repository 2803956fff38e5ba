import { and, eq, inArray, lte, or, sql } from 'drizzle-orm';
import type { Meter } from '../../platform/db.ts';
import { backOff, retryUntilSettled } from '../../platform/transient-error.ts';
import { type Context, inDatabase } from '../context.ts';
import { DomainError } from '../errors.ts';
import { DIRECTORY } from '../shard-map.ts';
import { imageChecks, imageUses } from './table.ts';

/** Longer than a request or a queue job can take. Both release their images when they end normally. */
const HOLD_MS = 20 * 60_000;
/** Maximum number of attempts while an image's files are being deleted: a few seconds in all. */
const ATTEMPTS_MAX = 30;

/** Images that a request or job holds, by database. The key is its meter, which all contexts of one request share. */
const holds = new WeakMap<Meter, { user: string; images: Map<string, Set<string>> }>();

/**
 * Keeps an image from being deleted until the request or job has stored the row that shows it. Call it before you look
 * for its files. Waits while they are being deleted. One round trip. Throws `conflict` if that takes too long.
 */
export async function holdImage(ctx: Context, sha256: string): Promise<void> {
  const hold = holds.get(ctx.meter) ?? { user: `request:${crypto.randomUUID()}`, images: new Map() };
  holds.set(ctx.meter, hold);
  const { database = DIRECTORY } = ctx;
  hold.images.set(database, (hold.images.get(database) ?? new Set()).add(sha256));
  await use(ctx, sha256, hold.user, HOLD_MS);
}

/** Keeps an image that no row shows yet, for a user who uploaded it and is still editing. */
export function keepImage(ctx: Context, sha256: string, millis: number): Promise<void> {
  return use(ctx, sha256, `draft:${crypto.randomUUID()}`, millis);
}

async function use(ctx: Context, sha256: string, user: string, millis: number): Promise<void> {
  for (let failed = 0; failed < ATTEMPTS_MAX; failed++) {
    if (failed > 0) await backOff(failed);
    const now = Date.now();
    const isDeleted = sql`exists (select 1 from ${imageChecks} where ${eq(imageChecks.sha256, sha256)} and ${imageChecks.deletingUntilAt} > ${now})`;
    const held = await ctx.db
      .insert(imageUses)
      .select(sql`select ${sha256}, ${user}, ${now + millis} where not ${isDeleted}`)
      .onConflictDoUpdate({
        target: [imageUses.sha256, imageUses.user],
        set: { expiresAt: now + millis },
      })
      .returning({ sha256: imageUses.sha256 });
    if (held.length > 0) return;
  }
  throw new DomainError('conflict', 'The image is being deleted; try again');
}

/** Time limit of a drawing, in milliseconds. After it, another import may draw the image. */
const DRAWING_MS = 30_000;
const DRAWING_JITTER_MS = 10_000;

/** User name of a drawing in `image_uses`; the same in every request. */
const drawingOf = (key: string) => `drawing:${key}`;

/** Drawings of an image that an import has claimed. */
export interface DrawingClaim {
  /** Keys in the bucket. */
  keys: string[];
  /** When the claim ends. No other claim ends at this time. */
  expiresAt: number;
}

/**
 * Claims the drawings that nobody else is making, by their keys in the bucket. Release them with `freeDrawings`. After
 * a claim, look for the drawing again before you make it. One round trip.
 */
export async function claimDrawings(ctx: Context, sha256: string, keys: string[]): Promise<DrawingClaim> {
  const now = Date.now();
  // Random, with fractions of a millisecond, so that a retry recognizes a claim whose response was lost, and no other.
  const expiresAt = now + DRAWING_MS + Math.random() * DRAWING_JITTER_MS;
  const users = JSON.stringify(keys.map(drawingOf));
  const claimed = await retryUntilSettled(async () =>
    ctx.db
      .insert(imageUses)
      .select(sql`select ${sha256}, value, ${expiresAt} from json_each(${users}) where true`)
      .onConflictDoUpdate({
        target: [imageUses.sha256, imageUses.user],
        set: { expiresAt },
        setWhere: or(lte(imageUses.expiresAt, now), eq(imageUses.expiresAt, expiresAt)),
      })
      .returning({ user: imageUses.user }),
  );
  const names = new Set(claimed.map(({ user }) => user));
  return { keys: keys.filter((key) => names.has(drawingOf(key))), expiresAt };
}

/**
 * Releases drawings, so that other imports find them or draw those that failed. Leaves those that another import has
 * claimed since. One round trip, or none without drawings.
 */
export async function freeDrawings(ctx: Context, sha256: string, { keys, expiresAt }: DrawingClaim): Promise<void> {
  if (keys.length === 0) return;
  const isClaimed = and(inArray(imageUses.user, keys.map(drawingOf)), eq(imageUses.expiresAt, expiresAt));
  await ctx.db.delete(imageUses).where(and(eq(imageUses.sha256, sha256), isClaimed));
}

/** Releases the images that a request or job holds. Does nothing if it imported none. */
export async function releaseImages(ctx: Context): Promise<void> {
  const hold = holds.get(ctx.meter);
  if (!hold) return;
  holds.delete(ctx.meter);
  for (const [database, images] of hold.images) {
    const isHeld = and(eq(imageUses.user, hold.user), inArray(imageUses.sha256, [...images]));
    await inDatabase(ctx, database).db.delete(imageUses).where(isHeld);
  }
}
