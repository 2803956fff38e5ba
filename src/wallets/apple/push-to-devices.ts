import { chooseCertificate } from '../../domain/certificates/find-signing-certificate.ts';
import type { Certificate } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { hasOutbox } from '../../domain/outbox/leave-in-outbox.ts';
import { endRegistrations, type GoneDevice } from '../../domain/registrations/end-registrations.ts';
import type { PushTarget } from '../../domain/registrations/find-push-targets.ts';
import { logLine } from '../../platform/log.ts';
import { pushTransportFor } from './apns/choose-transport.ts';
import type { PushOutcome } from './apns/push-transport.ts';

/** Devices that could not be notified now. */
export interface PushesLeft {
  passIds: Set<string>;
  /** How long the other side asked to wait; 0: it did not say. */
  afterSeconds: number;
  reason: string;
}

/** What a push costs nobody but a developer: the text stands in the items of the outbox. */
export type TextOf = (passId: string) => string | null | undefined;

/**
 * Notifies devices of changed passes: each device once, however many of the passes it has, since a push
 * names no pass. Registrations whose token is gone end here; what is refused is logged. Returns what is to be tried
 * again.
 */
export async function pushToDevices(
  ctx: Context,
  targets: PushTarget[],
  certificates: Certificate[],
  textOf: TextOf,
): Promise<PushesLeft> {
  const left: PushesLeft = { passIds: new Set(), afterSeconds: 0, reason: '' };
  const gone: GoneDevice[] = [];
  // Texts part the pushes of a local service only.
  const keyOf = ({ accountId, passTypeId, passId }: PushTarget) =>
    JSON.stringify([accountId, passTypeId, hasOutbox(ctx.env) ? textOf(passId) : null]);
  for (const group of Map.groupBy(targets, keyOf).values()) {
    const byToken = Map.groupBy(group, ({ pushToken }) => pushToken);
    const outcomes = await send(ctx, group, [...byToken.keys()], certificates, textOf);
    const refused = new Map<string, number>();
    for (const [i, [pushToken, devices]] of [...byToken].entries()) {
      const outcome = outcomes[i]!;
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
  await endRegistrations(ctx, distinct(gone));
  return left;
}

function send(
  ctx: Context,
  group: PushTarget[],
  tokens: string[],
  certificates: Certificate[],
  textOf: TextOf,
): Promise<PushOutcome[]> {
  const { accountId, passTypeId, passId } = group[0]!;
  const usable = certificates.filter((one) => one.accountId === null || one.accountId === accountId);
  const certificate = chooseCertificate(usable, passTypeId);
  if (certificate?.passTypeId !== passTypeId) {
    const reason = `The account has no certificate for ${passTypeId}`;
    return Promise.resolve(tokens.map(() => ({ outcome: 'refused', reason })));
  }
  const text = textOf(passId) ?? undefined;
  const isOfOne = group.every((target) => target.passId === passId);
  return pushTransportFor(ctx, certificate, { ...(isOfOne ? { passId } : {}), text }).push(passTypeId, tokens);
}

function distinct(devices: GoneDevice[]): GoneDevice[] {
  return [...new Map(devices.map((device) => [JSON.stringify(device), device])).values()];
}
