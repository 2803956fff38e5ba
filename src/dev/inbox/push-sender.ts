import type { Context } from '../../domain/context.ts';
import type { DevicePush, PushSender } from '../../wallets/apple/apns/push-sender.ts';
import type { PushOutcome, PushTransport } from '../../wallets/apple/apns/push-transport.ts';
import { keepItems, type NewItem } from './keep-items.ts';

/** A way to Apple that is set for a certificate, and its kind. */
export interface PushWay {
  via: string;
  transport: PushTransport;
}

/** Keeps each push, with what became of it where there is a way to Apple; without one nothing leaves the service. */
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

/** An item for each text that the push brings: a push names no pass, so one stands for all passes of a device. */
function itemsOf(topic: string, { token, about }: DevicePush, outcome?: object): NewItem[] {
  return [...Map.groupBy(about, ({ text }) => text ?? '')].map(([text, [first, ...others]]) => ({
    kind: 'apns',
    to: token,
    subject: topic,
    text,
    details: { ...(others.length === 0 ? { passId: first!.passId } : {}), ...outcome },
  }));
}
