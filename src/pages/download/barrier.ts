import type { Context } from 'hono';
import { isDownloadBlocked } from '../../domain/passes/page/enable-download.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { isPinLocked, isPinRequired } from '../../domain/passes/page/pin.ts';
import type { PageEnv } from '../page-env.ts';
import { hasPinProof } from './pin-cookie.ts';

/**
 * Why a visitor can't see a pass: it needs a PIN, the PIN is locked after too many wrong ones, or the pass is already
 * on a device.
 */
export type Barrier = 'pin' | 'locked' | 'blocked';

/** Returns what keeps the visitor from the page, the pictures of the code and the links; undefined if nothing does. */
export function barrierOf(c: Context<PageEnv>, shown: PublicPass, now = Date.now()): Barrier | undefined {
  const { definition, pass } = shown;
  // The PIN comes first: visitors without it must not learn anything about the pass.
  if (isPinRequired(definition, pass) && !hasPinProof(c, shown)) return isPinLocked(pass, now) ? 'locked' : 'pin';
  return isDownloadBlocked(definition, pass, now) ? 'blocked' : undefined;
}
