import type { Context } from '../../../domain/context.ts';
import { leaveInOutbox } from '../../../domain/outbox/leave-in-outbox.ts';
import type { PushTransport } from './push-transport.ts';

/** What a developer wants to know of a push beside its token; devices get none of it. */
export interface PushedFor {
  passId?: string;
  text?: string;
}

/** The transport of a local service: nothing leaves it, each push becomes an item of the outbox. */
export function outboxTransport(ctx: Context, { text, ...details }: PushedFor = {}): PushTransport {
  return {
    async push(topic, tokens) {
      await leaveInOutbox(
        ctx,
        tokens.map((to) => ({ kind: 'apns', to, subject: topic, text, details })),
      );
      return tokens.map(() => ({ outcome: 'sent' }));
    },
  };
}
