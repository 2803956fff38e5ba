import { and, eq } from 'drizzle-orm';
import { canonicalJson } from '../../platform/canonical-json.ts';
import { fewAtATime } from '../../platform/few-at-a-time.ts';
import { logLine } from '../../platform/log.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { changePass } from './change-pass.ts';
import { findPublicPassById, type PublicPass } from './find-page.ts';
import type { PassAppearance, PendingImages } from './pass-fields.ts';
import { IMPORTS_AT_A_TIME, importWanted, type TriedImage, wantedImages, withImages } from './pass-images.ts';
import { passes } from './table.ts';

/**
 * Job: imports the images that a pass waits for, each by itself. One that cannot be imported is given up and logged; the pass then shows what it showed before. What failed otherwise is still
 * waited for, and tried again with the job. A second run finds nothing pending.
 */
export async function importPendingImages(ctx: Context, passId: string): Promise<void> {
  const shown = await findPublicPassById(ctx, passId);
  const pending = shown?.pass.appearance.pendingImages;
  if (!pending) return;
  const { tried, errors } = await tryAll(shown, pending);
  await settle(shown.ctx, passId, tried);
  if (errors.length > 0) throw errors[0];
}

async function tryAll({ ctx, pass, definition }: PublicPass, pending: PendingImages) {
  const errors: unknown[] = [];
  const results = await fewAtATime(wantedImages(pending), IMPORTS_AT_A_TIME, async (wanted) => {
    try {
      return [await importWanted(ctx, wanted, definition)];
    } catch (error) {
      if (!(error instanceof DomainError)) {
        errors.push(error);
        return [];
      }
      logLine('error', { event: 'pass-images', requestId: ctx.requestId, pass: pass.id, error: error.message });
      return [wanted];
    }
  });
  return { tried: results.flat(), errors };
}

/** New images are a change of the pass like any other; that some are waited for no longer is none, and nobody hears of it. */
async function settle(ctx: AccountContext, passId: string, tried: TriedImage[]): Promise<void> {
  const { pass } = await changePass(ctx, passId, ({ pass: found }) => {
    const appearance = withImages(found.appearance, tried);
    return { pass: looksOf(appearance) === looksOf(found.appearance) ? found : { ...found, appearance } };
  });
  const appearance = withImages(pass.appearance, tried);
  if (canonicalJson(appearance) === canonicalJson(pass.appearance)) return;
  // Should the pass be changed at this very moment, the cron asks for them once more.
  await ctx.db
    .update(passes)
    .set({ appearance })
    .where(and(eq(passes.id, passId), eq(passes.version, pass.version)));
}

function looksOf({ pendingImages: _, ...shown }: PassAppearance): string {
  return canonicalJson(shown);
}
