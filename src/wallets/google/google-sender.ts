import type { AccountContext } from '../../domain/context.ts';
import type { KnownObject, WalletMessage } from './client.ts';
import type { WalletReply } from './reply.ts';
import type { WalletResource } from './resource.ts';

/** A pass to send to Google. */
export interface SentObject {
  passId: string;
  walletClass: WalletResource;
  object: WalletResource;
  /** Known state at Google. */
  known: KnownObject;
  /** Message for its holder, sent after the object. */
  message?: WalletMessage;
  /** Whether holders are notified of the changes in an update. */
  shouldNotify: boolean;
}

/** Sends passes of one issuer to Google. */
export interface GoogleSender {
  /** Inserts or updates the class and object, then adds the message. */
  send(ctx: AccountContext, sent: SentObject): Promise<WalletReply>;
  /** Expires an object by its identifier. */
  end(kind: WalletResource['kind'], objectId: string): Promise<WalletReply>;
}
