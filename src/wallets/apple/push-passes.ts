import { sql } from 'drizzle-orm';
import { signingCertificateQuery } from '../../domain/certificates/find-signing-certificate.ts';
import type { Context } from '../../domain/context.ts';
import { asResumable, type JobOf, RetryLater, retryDelay } from '../../domain/jobs.ts';
import type { PassFact } from '../../domain/pass-facts/append-facts.ts';
import {
  carriedFacts,
  claimedPasses,
  claimPushes,
  heldPushes,
  isRequested,
  newClaim,
  type PushClaim,
  postponePushes,
  settlePushes,
} from '../../domain/pushes/claim-pushes.ts';
import { deviceKind } from '../../domain/pushes/push-jobs.ts';
import { pushTargetsQuery } from '../../domain/registrations/find-push-targets.ts';
import { answerFacts, pushToDevices } from './push-to-devices.ts';

/**
 * Job: notifies Apple devices of an account's changed passes. Two round trips for any number of passes. Skips passes
 * without a pending push and passes that another job claimed, so a repeat notifies nobody twice. Throws if some must be
 * retried.
 */
export async function pushPasses(ctx: Context, { accountId, passIds }: JobOf<'push-passes'>): Promise<void> {
  const claim: PushClaim = { accountId, wallet: 'apple', passIds, claims: [newClaim()] };
  await notifyDevices(ctx, claim, claimPushes(ctx, claim));
}

/**
 * Does the same for pushes that the caller holds by an event, over at most this many connections. Releases those of
 * suspended accounts.
 */
export async function pushHeldPasses(ctx: Context, claim: PushClaim, connections: number): Promise<void> {
  const held = new Set(await notifyDevices(ctx, claim, heldPushes(ctx, claim), connections));
  const waiting = claim.passIds.filter((passId) => !held.has(passId));
  await postponePushes(ctx, { ...claim, passIds: waiting }, 0);
}

/** Notifies the devices of the passes that `take` returns for the claim, and returns their identifiers. */
async function notifyDevices(
  ctx: Context,
  claim: PushClaim,
  take: ReturnType<typeof claimPushes> | ReturnType<typeof heldPushes>,
  connections?: number,
): Promise<string[]> {
  const { accountId } = claim;
  const [claimed, targets, certificates] = await ctx.db.batch([
    take,
    pushTargetsQuery(ctx, accountId, claimedPasses(claim)),
    signingCertificateQuery(ctx.db, accountId),
  ]);
  if (claimed.length === 0) return [];
  const attempts = Math.max(...claimed.map((push) => push.attempts));
  const texts = new Map(claimed.map(({ passId, text }) => [passId, text]));
  const held = { ...claim, passIds: claimed.map(({ passId }) => passId) };
  try {
    const due = targets.map((target) => ({ ...target, text: texts.get(target.passId) }));
    const left = await pushToDevices(ctx, due, certificates, connections);
    const sent = claimed.filter(({ passId }) => !left.passIds.has(passId));
    const facts = [...carriedFacts(sent), ...answerFacts(left, 'change')];
    await settlePushes(ctx, { ...held, passIds: sent.map(({ passId }) => passId) }, facts);
    if (left.passIds.size > 0) throw new RetryLater(left.afterSeconds, left.reason);
    return held.passIds;
  } catch (error) {
    const asked = error instanceof RetryLater ? error.afterSeconds : 0;
    await postponePushes(ctx, held, retryDelay(attempts, asked));
    throw asResumable(error);
  }
}

/**
 * Job: notifies one device of a changed pass, unless the device no longer has it. Two round trips. A job without a row,
 * for example a manual retry, also notifies: an extra push does no harm. Throws if the device must be notified later.
 */
export async function pushToDevice(ctx: Context, device: JobOf<'push-to-device'>): Promise<void> {
  const { accountId, passId } = device;
  const claim: PushClaim = { accountId, wallet: deviceKind(device), passIds: [passId], claims: [newClaim()] };
  const [[claimed], targets, certificates] = await ctx.db.batch([
    claimPushes(ctx, claim),
    pushTargetsQuery(ctx, accountId, sql`(select ${device.passId} as id)`, device),
    signingCertificateQuery(ctx.db, accountId),
  ]);
  if (!claimed && (await isRequested(ctx, claim))) return;
  let facts: PassFact[] = [];
  try {
    const left = await pushToDevices(ctx, targets, certificates);
    facts = answerFacts(left, 'change');
    if (left.passIds.size > 0) throw new RetryLater(left.afterSeconds, left.reason);
    if (claimed) await settlePushes(ctx, claim, facts);
  } catch (error) {
    const asked = error instanceof RetryLater ? error.afterSeconds : 0;
    if (!claimed) throw error;
    await postponePushes(ctx, claim, retryDelay(claimed.attempts, asked), facts);
    throw asResumable(error);
  }
}
