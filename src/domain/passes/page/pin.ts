import { and, isNull, lte, or, sql } from 'drizzle-orm';
import { constantTimeEqual, sha256 } from '../../../platform/crypto.ts';
import { shardOf } from '../../../platform/ids.ts';
import { isProofOf, proofOf } from '../../../platform/proof.ts';
import type { Context } from '../../context.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { newIdIn } from '../../write-once.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';

/** Wrong PINs in a row that lock a pass's page, and the duration of the lock. */
export const PIN_TRIES_MAX = 5;
export const PIN_LOCK_MINUTES = 15;

/** Whether the page of a pass asks for a PIN: the template has the feature turned on, and the pass has a PIN. */
export function isPinRequired(definition: StoredDefinition, pass: Pick<Pass, 'downloadPin'>): boolean {
  return definition.downloadPinEnabled && pass.downloadPin !== null;
}

/** Whether the PIN is locked at `now` (UTC milliseconds). */
export function isPinLocked(pass: Pick<Pass, 'pinLockedUntilAt'>, now: number): boolean {
  return (pass.pinLockedUntilAt ?? 0) > now;
}

interface PinTry {
  outcome: 'right' | 'wrong' | 'locked';
  /** Attempts left before the lock. */
  triesLeft: number;
}

/**
 * Tries a PIN with one conditional statement, so of all concurrent wrong PINs exactly five count. The fifth locks the
 * page, also for the right PIN. A right PIN resets the count. A retried request counts once unless another attempt came
 * between. `now` is UTC milliseconds.
 */
export async function tryPin(
  ctx: Context,
  pass: Pick<Pass, 'id' | 'accountId' | 'downloadPin'>,
  pin: string,
  now = Date.now(),
): Promise<PinTry> {
  const [given, wanted] = await Promise.all([sha256(pin.trim()), sha256((pass.downloadPin ?? '').trim())]);
  const right = pass.downloadPin !== null && constantTimeEqual(given, wanted);
  const name = nameOfTry(newIdIn(ctx, shardOf(pass.id), `PIN of ${pass.id}`));
  const { pinFailures, pinLockedUntilAt: lock } = passes;
  // A lock that is still stored here has expired, so the count starts again.
  const failures = sql`iif(${lock} is null or ${lock} < 0, ${pinFailures} + (${lock} is not ${name}), 1)`;
  const locked = sql`iif(${failures} >= ${PIN_TRIES_MAX}, ${now + PIN_LOCK_MINUTES * 60_000}, ${name})`;
  const counted = await ctx.db
    .update(passes)
    .set(right ? { pinFailures: 0, pinLockedUntilAt: null } : { pinFailures: failures, pinLockedUntilAt: locked })
    .where(
      and(isOwnPass(pass.accountId, pass.id), or(isNull(passes.pinLockedUntilAt), lte(passes.pinLockedUntilAt, now))),
    )
    .returning({ failures: passes.pinFailures });
  const triesLeft = PIN_TRIES_MAX - (counted[0]?.failures ?? PIN_TRIES_MAX);
  if (triesLeft === 0) return { outcome: 'locked', triesLeft };
  return { outcome: right ? 'right' : 'wrong', triesLeft };
}

/**
 * Returns the number of an attempt from the ID of its request. It is negative and stored in place of the lock while
 * there is none, so a retried request finds that it already counted.
 */
function nameOfTry(id: string): number {
  return -1 - Number.parseInt(id.slice(24, 32), 16);
}

/** How long a right PIN opens the page, in minutes. */
export const PIN_PROOF_MINUTES = 30;

type Proven = Pick<Pass, 'id' | 'downloadPin'>;

/** Includes the PIN, so that a new PIN invalidates earlier proofs. */
const factsOf = ({ id, downloadPin }: Proven) => ({ purpose: 'download-pin', facts: [id, downloadPin] });

/** Creates a proof that its holder knew the pass's PIN, valid for half an hour; see `proofOf`. */
export function provePin({ env }: Context, pass: Proven, now = Date.now()): string {
  return proofOf(env, factsOf(pass), now + PIN_PROOF_MINUTES * 60_000);
}

/** Whether a text is a proof for the current PIN of the pass. */
export function isPinProof({ env }: Context, pass: Proven, proof: string | undefined, now = Date.now()): boolean {
  return isProofOf(env, factsOf(pass), proof, now);
}
