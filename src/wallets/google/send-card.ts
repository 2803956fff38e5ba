import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { AccountContext, Context } from '../../domain/context.ts';
import { replaceClass } from '../../domain/google-classes/replace-class.ts';
import { hasOutbox, leaveInOutbox } from '../../domain/outbox/leave-in-outbox.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { confirmSent, noteGoogleMessage } from '../../domain/passes/google/google-object.ts';
import { sha256 } from '../../platform/crypto.ts';
import { logLine } from '../../platform/log.ts';
import { type KnownObject, WalletObjects } from './client.ts';
import { buildClass, isUpdatedInPlace } from './pass-class.ts';
import { buildObject } from './pass-object.ts';
import type { WalletReply } from './reply.ts';
import { objectIdOf, type WalletResource } from './resource.ts';
import { signerOf } from './signer.ts';

/** A pass as it shall be at Google. */
export interface SentCard {
  card: Card;
  issuer: GoogleIssuer;
  /** What we know that Google has of it. */
  known: KnownObject;
  /** Text to send to its holder. */
  text?: string;
}

/**
 * What became of it. `current`: Google has what the pass shows; `changed`, `gone`: the pass has changed, or was
 * deleted, meanwhile.
 */
export type SentReply = WalletReply & { state?: 'current' | 'changed' | 'gone' };

/**
 * Whether anything can be sent for an issuer: a development issuer is unknown to Google, and what would go there lands
 * in the outbox of a local service.
 */
export function isReachable(ctx: Context, issuer: GoogleIssuer): boolean {
  return !issuer.development || hasOutbox(ctx.env);
}

/**
 * Makes Google have class and object of a card as it shows them, then sends the text, and notes that the pass is there.
 * What Google refuses is logged. Two round trips to D1 at most for what is not a flight, whose class is updated in
 * place.
 */
export async function sendCard(ctx: AccountContext, { card, issuer, known, text }: SentCard): Promise<SentReply> {
  const options = { issuerId: issuer.issuerId, baseUrl: ctx.baseUrl };
  const walletClass = buildClass(card, options);
  const object = buildObject(card, options, walletClass);
  const send = issuer.development ? leaveCard : callGoogle;
  const reply = await send(ctx, { card, issuer, known, text }, walletClass, object);
  if (reply.outcome !== 'ok') {
    logLine('error', { event: 'google', requestId: ctx.requestId, pass: card.id, ...reply });
    if (reply.outcome !== 'quota') return reply;
  }
  const { passVersion, templateVersion } = card;
  const state = await confirmSent(ctx, { passId: card.id, kind: object.kind, passVersion, templateVersion });
  // Who deleted it may have ended the object before it was sent.
  const ended = state === 'gone' ? await endObject(ctx, issuer, { passId: card.id, kind: object.kind }) : reply;
  return { ...ended, outcome: ended.outcome === 'quota' ? 'ok' : ended.outcome, state };
}

type Send = (
  ctx: AccountContext,
  sent: SentCard,
  walletClass: WalletResource,
  object: WalletResource,
) => Promise<WalletReply>;

const callGoogle: Send = async (ctx, { card, issuer, known, text }, walletClass, object) => {
  const google = new WalletObjects(await signerOf(ctx, issuer));
  const classReply = await sendClass(ctx, google, walletClass);
  if (classReply.outcome !== 'ok') return classReply;
  const message = text === undefined ? undefined : await messageOf(card, text);
  const reply = await google.upsertObject(object, known);
  // An isolate that remembers a class which Google has not: the next attempt sends it.
  if (reply.outcome === 'not_found') google.forgetClass(walletClass.resource.id);
  if (reply.outcome !== 'ok' || !message) return reply;
  // Nobody holds an object that Google had not; and what a job that died had added already is not sent twice.
  if (reply.inserted || reply.lastMessageId === message.id) return reply;
  if (!known.hasMessages) await noteGoogleMessage(ctx, card.id);
  return google.addMessage(object.kind, object.resource.id, message);
};

/** Classes that are named by their content are sent once by an isolate; the others once for each content. */
async function sendClass(ctx: Context, google: WalletObjects, walletClass: WalletResource): Promise<WalletReply> {
  const { kind, resource } = walletClass;
  if (!isUpdatedInPlace(kind)) return google.insertClass(walletClass);
  const reply = await replaceClass(ctx, resource.id, resource, async () => {
    const sent = await google.replaceClass(walletClass);
    return { taken: sent.outcome === 'ok', reply: sent };
  });
  return reply ?? { outcome: 'ok' };
}

const MESSAGE_ID_CHARS = 16;

async function messageOf({ organizationName }: Card, text: string) {
  return { id: `push-${(await sha256(text)).slice(0, MESSAGE_ID_CHARS)}`, header: organizationName, body: text };
}

/** What a local service would have sent. */
const leaveCard: Send = async (ctx, { card, text }, walletClass, object) => {
  const item = (subject: string, { kind, resource }: WalletResource) => {
    return {
      kind: 'google',
      to: resource.id,
      subject,
      details: { type: `${kind}${capitalized(subject)}`, body: resource },
    } as const;
  };
  const message = text === undefined ? undefined : await messageOf(card, text);
  const told = message && {
    kind: 'google' as const,
    to: object.resource.id,
    subject: 'message',
    text: message.body,
    details: { type: `${object.kind}Object`, body: { message: { ...message, messageType: 'TEXT_AND_NOTIFY' } } },
  };
  await leaveInOutbox(ctx, [item('class', walletClass), item('object', object), ...(told ? [told] : [])]);
  return { outcome: 'ok' };
};

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Replaces an object by an expired one without values, among the expired passes of its holders; it cannot be deleted.
 * One that Google has not is fine as well.
 */
export async function endObject(
  ctx: Context,
  issuer: GoogleIssuer,
  { passId, kind }: { passId: string; kind: WalletResource['kind'] },
): Promise<WalletReply> {
  const id = objectIdOf(issuer.issuerId, passId);
  if (issuer.development) {
    const details = { type: `${kind}Object`, body: { state: ENDED } };
    await leaveInOutbox(ctx, [{ kind: 'google', to: id, subject: 'object', details }]);
    return { outcome: 'ok' };
  }
  const reply = await new WalletObjects(await signerOf(ctx, issuer)).expireObject(kind, id);
  if (reply.outcome === 'not_found') return { ...reply, outcome: 'ok' };
  if (reply.outcome !== 'ok') logLine('error', { event: 'google', requestId: ctx.requestId, pass: passId, ...reply });
  return reply;
}

const ENDED = 'EXPIRED';
