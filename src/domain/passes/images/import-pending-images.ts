import { and, eq } from 'drizzle-orm';
import { mapConcurrent } from '../../../platform/concurrency.ts';
import { canonicalJson } from '../../../platform/json.ts';
import { logLine } from '../../../platform/log.ts';
import type { AccountContext, Context } from '../../context.ts';
import { imageLoader, NotImportable } from '../../images/import-image.ts';
import { changePass } from '../change-pass.ts';
import { isOwnPass } from '../own-pass.ts';
import { findPublicPassById, type PublicPass } from '../page/find-page.ts';
import { passes } from '../table.ts';
import type { PassAppearance, PendingImages } from '../values/pass-fields.ts';
import { IMPORTS_AT_A_TIME, importWanted, type TriedImage, wantedImages, withImages } from './pass-images.ts';

/** Wait before the next attempt after a temporary error. It doubles each time, up to two hours. */
const AGAIN_MS = 60_000;
const AGAIN_MS_MAX = 2 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** A job begins no further image after this time: the jobs of other accounts wait in the same queue. */
const JOB_MS = 30_000;

/**
 * Job: imports the pending images of a pass, each on its own. A permanent error goes to `importErrors`. Temporary
 * errors of its server, and of Cloudflare Images, are retried for a day. Our own errors fail the job. A second run
 * finds nothing pending.
 */
export async function importPendingImages(
  ctx: Context,
  passId: string,
  { now = Date.now(), atATime = IMPORTS_AT_A_TIME } = {},
): Promise<void> {
  const shown = await findPublicPassById(ctx, passId);
  const pending = shown?.pass.appearance.pendingImages;
  if (!pending) return;
  const { triedUntil = now + DAY_MS, resumed = 0 } = pending;
  const { tried, errors, isTemporary } = await tryAll(shown, pending, { isLast: now >= triedUntil, atATime });
  const dueAt = isTemporary ? Math.min(triedUntil, now + Math.min(AGAIN_MS * 2 ** resumed, AGAIN_MS_MAX)) : undefined;
  await settle(shown.ctx, passId, { tried, dueAt, triedUntil, now });
  if (errors.length > 0) throw errors[0];
}

async function tryAll(
  { ctx, pass, definition }: PublicPass,
  pending: PendingImages,
  { isLast, atATime }: { isLast: boolean; atATime: number },
) {
  const errors: unknown[] = [];
  let isTemporary = false;
  const endsAt = Date.now() + JOB_MS;
  // Shared by all images: the same one may be for several languages, and large ones wait for each other.
  const load = imageLoader(ctx, atATime);
  const results = await mapConcurrent(wantedImages(pending), atATime, async (wanted): Promise<TriedImage[]> => {
    if (Date.now() >= endsAt && !isLast) {
      isTemporary = true;
      return [];
    }
    try {
      return [await importWanted(ctx, wanted, definition, load)];
    } catch (error) {
      if (!(error instanceof NotImportable)) {
        errors.push(error);
        return [];
      }
      logLine('error', { event: 'pass-images', requestId: ctx.requestId, pass: pass.id, error: error.message });
      if (!error.isTemporary || isLast) return [{ ...wanted, message: error.reason }];
      isTemporary = true;
      return [];
    }
  });
  return { tried: results.flat(), errors, isTemporary };
}

interface Outcome {
  tried: TriedImage[];
  /** Time of the next attempt after temporary errors. */
  dueAt?: number;
  triedUntil: number;
  now: number;
}

/** Stores the outcome. New images are a normal change of the pass. A mere change of the pending ones isn't. */
async function settle(ctx: AccountContext, passId: string, outcome: Outcome): Promise<void> {
  const after = (appearance: PassAppearance) => appearanceAfter(appearance, outcome);
  const { pass } = await changePass(ctx, passId, ({ pass: found }) => {
    const appearance = after(found.appearance);
    return {
      pass:
        serializeAppearance(appearance) === serializeAppearance(found.appearance) ? found : { ...found, appearance },
    };
  });
  const appearance = after(pass.appearance);
  if (canonicalJson(appearance) === canonicalJson(pass.appearance)) return;
  // If the pass changes at this moment, the cron requests the images again.
  await ctx.db
    .update(passes)
    .set({ appearance })
    .where(and(isOwnPass(ctx.account.id, passId), eq(passes.version, pass.version)));
}

function appearanceAfter(before: PassAppearance, { tried, dueAt, triedUntil, now }: Outcome): PassAppearance {
  const after = withImages(before, tried, now);
  if (!after.pendingImages || dueAt === undefined) return after;
  return { ...after, pendingImages: { triedUntil, ...after.pendingImages, dueAt } };
}

function serializeAppearance({ pendingImages: _, importErrors: __, ...shown }: PassAppearance): string {
  return canonicalJson(shown);
}
