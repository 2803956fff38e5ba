import type { Context } from '../../domain/context.ts';
import type { GoogleSender } from '../../wallets/google/google-sender.ts';
import { NOTIFY_ON_UPDATE, type WalletResource } from '../../wallets/google/resource.ts';
import { keepItems, type NewItem } from './keep-items.ts';

/** Stores the requests that the Google Wallet API would get from a development issuer, which Google doesn't know. */
export function inboxGoogleSender(ctx: Context): GoogleSender {
  const keep = async (items: NewItem[]) => {
    await keepItems(ctx, items);
    return { outcome: 'ok' } as const;
  };
  return {
    send(_ctx, { walletClass, object, message, shouldNotify }) {
      const resource = shouldNotify ? { ...object.resource, ...NOTIFY_ON_UPDATE } : object.resource;
      const items = [itemOf('class', walletClass), itemOf('object', { ...object, resource })];
      if (!message) return keep(items);
      const body = { message: { ...message, messageType: 'TEXT_AND_NOTIFY' } };
      const details = { type: `${object.kind}Object`, body };
      return keep([
        ...items,
        { kind: 'google', to: object.resource.id, subject: 'message', text: message.body, details },
      ]);
    },
    end(kind, id) {
      const details = { type: `${kind}Object`, body: { state: 'EXPIRED' } };
      return keep([{ kind: 'google', to: id, subject: 'object', details }]);
    },
  };
}

function itemOf(subject: 'class' | 'object', { kind, resource }: WalletResource): NewItem {
  const type = `${kind}${subject === 'class' ? 'Class' : 'Object'}`;
  return { kind: 'google', to: resource.id, subject, details: { type, body: resource } };
}
