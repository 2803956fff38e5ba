import { logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { changePass } from './change-pass.ts';
import { findPublicPassById } from './find-page.ts';
import { importPassImages } from './pass-images.ts';
import type { Pass } from './table.ts';

/**
 * Job: imports the images that a pass still waits for. One that cannot be imported is given up and logged; the pass then shows the template's. A second run
 * finds nothing pending.
 */
export async function importPendingImages(ctx: Context, passId: string): Promise<void> {
  const shown = await findPublicPassById(ctx, passId);
  if (!shown?.pass.appearance.pendingImages) return;
  await changePass(shown.ctx, passId, async ({ pass, definition }) => {
    const { appearance } = pass;
    return {
      pass: {
        ...pass,
        appearance: await importOrGiveUp(ctx, pass, () => importPassImages(ctx, appearance, definition)),
      },
    };
  });
}

async function importOrGiveUp(ctx: Context, pass: Pass, load: () => Promise<Pass['appearance']>) {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    logLine('error', { event: 'pass-images', requestId: ctx.requestId, pass: pass.id, error: error.message });
    const { pendingImages: _, ...rest } = pass.appearance;
    return rest;
  }
}
