import type { Context } from '../../domain/context.ts';
import type { DevicePush, PushOutcome, PushSender, PushTransport } from '../../wallets/apple/apns/push-sender.ts';
import { keepItems, type NewItem } from './keep-items.ts';

/** A transport to Apple that is configured for a certificate, with its kind. */
export interface PushWay {
  via: string;
  transport: PushTransport;
}

/**
 * Stores each push. With a transport, it also reaches Apple and its result is stored; without one, nothing leaves the
 * service.
 */
export function inboxPushSender(ctx: Context, way?: PushWay): PushSender {
  return {
    async send(topic, pushes) {
      const outcomes: PushOutcome[] = way
        ? await way.transport.push(
            topic,
            pushes.map(({ token }) => token),
          )
        : pushes.map(() => ({ outcome: 'sent' }));
      const items = pushes.flatMap((push, i) => itemsOf(topic, push, way && { via: way.via, ...outcomes[i] }));
      await keepItems(ctx, items);
      return outcomes;
    },
  };
}

/** Returns an item for each text in the push. A push names no pass, so it covers all passes of a device. */
function itemsOf(topic: string, { token, about }: DevicePush, outcome?: object): NewItem[] {
  return [...Map.groupBy(about, ({ text }) => text ?? '')].map(([text, [first, ...others]]) => ({
    kind: 'apns',
    to: token,
    subject: topic,
    text,
    details: { ...(others.length === 0 ? { passId: first!.passId } : {}), ...outcome },
  }));
}
