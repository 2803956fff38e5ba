import type { Context } from '../../domain/context.ts';
import { type SmsProvider, smsLength } from '../../platform/sms.ts';
import { keepItems } from './keep-items.ts';

/** Keeps SMS, with what they would be charged as. */
export function inboxSmsProvider(ctx: Context): SmsProvider {
  return {
    async send({ messageId, to, text }) {
      await keepItems(ctx, [{ kind: 'sms', to, text, details: { messageId, ...smsLength(text) } }]);
      return { outcome: 'sent', providerId: null };
    },
  };
}
