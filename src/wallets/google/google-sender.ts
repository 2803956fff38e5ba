import type { AccountContext } from '../../domain/context.ts';
import type { KnownObject, WalletMessage } from './client.ts';
import type { WalletReply } from './reply.ts';
import type { WalletResource } from './resource.ts';

/** A pass as Google shall have it. */
export interface SentObject {
  passId: string;
  walletClass: WalletResource;
  object: WalletResource;
  /** What Google has of it already, as far as we know. */
  known: KnownObject;
  /** Message for its holder, beside the object. */
  message?: WalletMessage;
  /** Whether its holders are notified of what an update changes. */
  notifies: boolean;
}

/** Sends for one issuer. */
export interface GoogleSender {
  /** Makes Google have class and object, then adds the message. */
  send(ctx: AccountContext, sent: SentObject): Promise<WalletReply>;
  /** Ends an object by its identifier. */
  end(kind: WalletResource['kind'], objectId: string): Promise<WalletReply>;
}
