import type { Context } from 'hono';
import { isDownloadBlocked } from '../../domain/passes/page/enable-download.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { passHandle } from '../../domain/passes/page/links.ts';
import { isPinLocked, isPinProof, isPinRequired, PIN_PROOF_MINUTES, provePin } from '../../domain/passes/page/pin.ts';
import { keepCookie, readCookie } from '../cookies.ts';
import type { PageEnv } from '../page-env.ts';

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

/**
 * One cookie per pass. Its name identifies the pass, because a page has several addresses, and a bundle's page shows
 * several passes.
 */
const nameFor = ({ pass }: PublicPass) => `pin-${passHandle(pass)}`;

/** Stores a proof of the correct PIN in the browser, for reloads and the page's file link. */
export function keepPinProof(c: Context<PageEnv>, shown: PublicPass): void {
  keepCookie(c, nameFor(shown), provePin(shown.ctx, shown.pass), PIN_PROOF_MINUTES * 60);
}

/** Returns whether the browser has a valid proof. */
function hasPinProof(c: Context<PageEnv>, shown: PublicPass): boolean {
  return isPinProof(shown.ctx, shown.pass, readCookie(c, nameFor(shown)));
}
