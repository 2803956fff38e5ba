import { chooseCertificate } from '../../domain/certificates/find-signing-certificate.ts';
import type { Certificate } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { notePushes } from '../../domain/metrics/outcomes.ts';
import type { PassFact } from '../../domain/pass-facts/append-facts.ts';
import { type AppleAnswers, encodeFact, type PushCause } from '../../domain/pass-facts/facts.ts';
import { endRegistrations, type GoneDevice } from '../../domain/registrations/end-registrations.ts';
import type { PushTarget } from '../../domain/registrations/find-push-targets.ts';
import { logLine } from '../../platform/log.ts';
import { pushSenderFor } from './apns/choose-sender.ts';
import type { DevicePush, PushedPass, PushOutcome } from './apns/push-sender.ts';

/** Pushes to retry, and Apple's answers. */
export interface PushesLeft {
  passIds: Set<string>;
  /** Answers by pass: device counts, and why a device was refused or postponed. */
  answers: Map<string, { devices: AppleAnswers; reason?: string }>;
  /** Seconds that the other side asked to wait; 0: it didn't say. */
  afterSeconds: number;
  reason: string;
}

/** A device to notify of a pass, and the text for its holder. */
export type DueTarget = PushTarget & { text?: string | null };

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
    const pushes = [...byToken].map(([token, devices]) => ({ token, about: devices.map(toPushedPass) }));
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

function toPushedPass({ passId, text }: DueTarget): PushedPass {
  return { passId, text: text ?? undefined };
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
