import type { Context } from 'hono';
import { isDownloadBlocked } from '../../domain/passes/page/enable-download.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { isPinLocked, isPinRequired } from '../../domain/passes/page/pin.ts';
import type { PageEnv } from '../page-env.ts';
import { hasPinProof } from './pin-cookie.ts';

/**
 * What stands between a visitor and a pass: its PIN, the lock after too many wrong ones, or that it is on a device
 * already.
 */
export type Barrier = 'pin' | 'locked' | 'blocked';

/**
 * What the visitor of a pass has to pass before page, pictures of the code and links are shown; undefined when nothing
 * is in the way.
 */
export function barrierOf(c: Context<PageEnv>, shown: PublicPass, now = Date.now()): Barrier | undefined {
  const { definition, pass } = shown;
  // The PIN comes first: who does not know it learns nothing of the pass.
  if (isPinRequired(definition, pass) && !hasPinProof(c, shown)) return isPinLocked(pass, now) ? 'locked' : 'pin';
  return isDownloadBlocked(definition, pass, now) ? 'blocked' : undefined;
}
