import { sql } from 'drizzle-orm';
import { chooseCertificate, signingCertificateQuery } from '../../domain/certificates/find-signing-certificate.ts';
import type { Certificate } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { asResumable, type JobOf, RetryLater, retryDelay } from '../../domain/jobs.ts';
import { notePushes } from '../../domain/metrics/outcomes.ts';
import type { PassFact } from '../../domain/pass-facts/append-facts.ts';
import { type AppleAnswers, encodeFact, type PushCause } from '../../domain/pass-facts/facts.ts';
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
import { endRegistrations, type GoneDevice } from '../../domain/registrations/end-registrations.ts';
import { type PushTarget, pushTargetsQuery } from '../../domain/registrations/find-push-targets.ts';
import { logLine } from '../../platform/log.ts';
import { pushSenderFor } from './apns/choose-sender.ts';
import type { DevicePush, PushOutcome } from './apns/push-sender.ts';

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

/** Pushes to retry, and Apple's answers. */
interface PushesLeft {
  passIds: Set<string>;
  /** Answers by pass: device counts, and why a device was refused or postponed. */
  answers: Map<string, { devices: AppleAnswers; reason?: string }>;
  /** Seconds that the other side asked to wait; 0: it didn't say. */
  afterSeconds: number;
  reason: string;
}

/** A device to notify of a pass, and the text for its holder. */
type DueTarget = PushTarget & { text?: string | null };

/**
 * Notifies devices of changed passes, each device once for all of its passes, because a push names no pass. Deletes
 * registrations whose token is gone, and logs refused pushes. Returns the pushes to retry. `connections` is the maximum
 * to open.
 */
export async function pushToDevices(
  ctx: Context,
  targets: DueTarget[],
  certificates: Certificate[],
  connections?: number,
): Promise<PushesLeft> {
  const left: PushesLeft = { passIds: new Set(), answers: new Map(), afterSeconds: 0, reason: '' };
  const gone: GoneDevice[] = [];
  const ended: PushOutcome[] = [];
  const groups = Map.groupBy(targets, ({ accountId, passTypeId }) => JSON.stringify([accountId, passTypeId]));
  for (const group of groups.values()) {
    const byToken = Map.groupBy(group, ({ pushToken }) => pushToken);
    const pushes = [...byToken].map(([token, devices]) => ({
      token,
      about: devices.map(({ passId, text }) => ({ passId, text: text ?? undefined })),
    }));
    const outcomes = await send(ctx, group[0]!, pushes, { certificates, connections });
    ended.push(...outcomes);
    const refused = new Map<string, number>();
    for (const [i, [pushToken, devices]] of [...byToken].entries()) {
      const outcome = outcomes[i]!;
      for (const { passId } of devices) noteAnswer(left.answers, passId, outcome);
      if (outcome.outcome === 'gone') {
        gone.push(
          ...devices.map(({ accountId, deviceId, passTypeId }) => ({ accountId, deviceId, passTypeId, pushToken })),
        );
      } else if (outcome.outcome === 'refused') {
        refused.set(outcome.reason, (refused.get(outcome.reason) ?? 0) + 1);
      } else if (outcome.outcome === 'retry') {
        for (const { passId } of devices) left.passIds.add(passId);
        left.afterSeconds = Math.max(left.afterSeconds, outcome.afterSeconds ?? 0);
        left.reason = outcome.reason;
      }
    }
    const { accountId: account, passTypeId: topic } = group[0]!;
    for (const [reason, devices] of refused) {
      logLine('error', { event: 'push-refused', requestId: ctx.requestId, account, topic, devices, reason });
    }
  }
  for (const [outcome, { length }] of Map.groupBy(ended, (one) => one.outcome)) {
    notePushes(ctx, targets[0]!.accountId, outcome, length);
  }
  await endRegistrations(ctx, distinct(gone));
  return left;
}

const ANSWERS = { sent: 'accepted', gone: 'unregistered', refused: 'refused', retry: 'postponed' } as const;

function noteAnswer(answers: PushesLeft['answers'], passId: string, outcome: PushOutcome): void {
  const noted = answers.get(passId) ?? { devices: { accepted: 0, unregistered: 0, refused: 0, postponed: 0 } };
  noted.devices[ANSWERS[outcome.outcome]] += 1;
  if ('reason' in outcome) noted.reason = outcome.reason;
  answers.set(passId, noted);
}

/** Returns the answers as facts for the timelines of the passes. */
export function answerFacts({ answers }: PushesLeft, cause: PushCause): PassFact[] {
  const at = Date.now();
  return [...answers].map(([passId, { devices, reason }]) => ({
    passId,
    fact: encodeFact({ type: 'apple_answered', at, cause, answers: devices, reason }),
  }));
}

function send(
  ctx: Context,
  { accountId, passTypeId }: PushTarget,
  pushes: DevicePush[],
  { certificates, connections }: { certificates: Certificate[]; connections?: number },
): Promise<PushOutcome[]> {
  const usable = certificates.filter((one) => one.accountId === null || one.accountId === accountId);
  const certificate = chooseCertificate(usable, passTypeId);
  if (certificate?.passTypeId !== passTypeId) {
    const reason = `The account has no certificate for ${passTypeId}`;
    return Promise.resolve(pushes.map(() => ({ outcome: 'refused', reason })));
  }
  return pushSenderFor(ctx, certificate, connections).send(passTypeId, pushes);
}

function distinct(devices: GoneDevice[]): GoneDevice[] {
  return [...new Map(devices.map((device) => [JSON.stringify(device), device])).values()];
}
