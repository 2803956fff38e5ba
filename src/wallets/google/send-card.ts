import { devSenders } from '../../dev/senders.ts';
import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { AccountContext, Context } from '../../domain/context.ts';
import { recordAtHome } from '../../domain/databases/follow-moves.ts';
import { replaceClass } from '../../domain/google-classes/replace-class.ts';
import { recordMetric } from '../../domain/metrics/record-metric.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { postponeGoogleEnd, recordGoogleEnd, requestGoogleEnd } from '../../domain/passes/deletion/tombstones.ts';
import { confirmSent, noteGoogleMessage } from '../../domain/passes/google/google-object.ts';
import { MEMBER_KINDS } from '../../domain/templates/google/kind.ts';
import { sha256 } from '../../platform/crypto.ts';
import { logLine } from '../../platform/log.ts';
import { type KnownObject, type WalletMessage, WalletObjects } from './client.ts';
import type { GoogleSender } from './google-sender.ts';
import { buildClass, isUpdatedInPlace } from './pass-class.ts';
import { buildObject } from './pass-object.ts';
import type { WalletReply } from './reply.ts';
import { objectIdOf, type WalletResource } from './resource.ts';
import { sharedCallsOf } from './shared-calls.ts';
import { signerOf } from './signer.ts';

/** Seconds until an object is ended again if Google doesn't say. */
const RETRY_S = 15;

/** A pass to send to Google. */
export interface SentCard {
  card: Card;
  issuer: GoogleIssuer;
  /** Known state at Google. */
  known: KnownObject;
  /** Text to send to its holder. */
  text?: string;
}

/** `current`: Google has the current pass. `changed`, `gone`: the pass was changed or deleted meanwhile. */
export type SentReply = WalletReply & { state?: 'current' | 'changed' | 'gone' };

/** Returns the sender for an issuer; undefined in a deployment for a development issuer, which Google doesn't know. */
function senderFor(ctx: Context, issuer: GoogleIssuer): GoogleSender | undefined {
  return issuer.development ? devSenders(ctx)?.google : walletApi(ctx, issuer);
}

/** Returns whether passes of an issuer can be sent. */
export function isReachable(ctx: Context, issuer: GoogleIssuer): boolean {
  return senderFor(ctx, issuer) !== undefined;
}

/**
 * Sends the class and object of a card, then the text, and records that Google has the pass. Logs a refusal. At most
 * two round trips to D1; more for a flight, whose class is updated in place. While the account moves, it waits:
 * otherwise the holder would be notified again.
 */
export async function sendCard(ctx: AccountContext, { card, issuer, known, text }: SentCard): Promise<SentReply> {
  const options = { issuerId: issuer.issuerId, baseUrl: ctx.baseUrl };
  const walletClass = buildClass(card, options);
  const object = buildObject(card, options, walletClass);
  const message = text === undefined ? undefined : await messageOf(card, text);
  // A text already notifies, and Google allows three notifications of a pass per day.
  const shouldNotify = message === undefined && shouldNotifyOnUpdate(card, object.kind);
  const sent = { passId: card.id, walletClass, object, known, message, shouldNotify };
  const reply: WalletReply = (await senderFor(ctx, issuer)?.send(ctx, sent)) ?? { outcome: 'ok' };
  recordMetric(ctx, { kind: 'push', name: 'google', outcome: reply.outcome, accountId: ctx.account.id });
  if (reply.outcome !== 'ok') {
    logLine('error', { event: 'google', requestId: ctx.requestId, pass: card.id, ...reply });
    if (reply.outcome !== 'quota') return reply;
  }
  const { passVersion, passRevision, templateVersion } = card;
  const shown = { passVersion, passRevision, templateVersion };
  const named = { passId: card.id, kind: object.kind };
  const state = await recordAtHome(ctx, ctx.account.id, async (home) => {
    const state = await confirmSent(home, { ...named, ...shown });
    if (state === 'gone') await endAgain(home, issuer, named);
    return state;
  });
  return { ...reply, outcome: 'ok', state };
}

/**
 * Expires an object that was sent after its pass was deleted, because the deletion may have expired it before. Records
 * it in a row first: after a failure, nothing else would lead to the object.
 */
async function endAgain(
  ctx: AccountContext,
  issuer: GoogleIssuer,
  { passId, kind }: { passId: string; kind: WalletResource['kind'] },
): Promise<void> {
  const named = { accountId: ctx.account.id, passId };
  const dueAt = await requestGoogleEnd(ctx, named, kind);
  const { outcome, retryAfterSeconds = RETRY_S } = await endObject(ctx, issuer, { passId, kind });
  if (outcome === 'unavailable' || outcome === 'rate_limited') {
    await postponeGoogleEnd(ctx, named, dueAt, retryAfterSeconds);
  } else await recordGoogleEnd(ctx, named, dueAt);
}

/**
 * Returns whether an update notifies. Google's generic class and object are the only ones without a notification
 * preference.
 */
function shouldNotifyOnUpdate({ google }: Card, kind: WalletResource['kind']): boolean {
  return google?.notifyPreference === 'NOTIFY_ON_UPDATE' && MEMBER_KINDS.notifyPreference!.includes(kind);
}

/** Sends through the Google Wallet API. */
function walletApi(ctx: Context, issuer: GoogleIssuer): GoogleSender {
  return {
    async send(accountCtx, { passId, walletClass, object, known, message, shouldNotify }) {
      const google = await walletObjects(ctx, issuer);
      const classReply = await sendClass(ctx, google, walletClass, shouldNotify);
      if (classReply.outcome !== 'ok') return classReply;
      const reply = await google.upsertObject(object, known, shouldNotify);
      // The isolate assumed that Google has the class. Forgetting it makes the next attempt send it.
      if (reply.outcome === 'not_found') google.forgetClass(walletClass.resource.id);
      if (reply.outcome !== 'ok' || !message) return reply;
      // Nobody holds a new object, and a job that died may already have added the text.
      if (reply.inserted || reply.lastMessageId === message.id) return reply;
      const note = (home: AccountContext) => noteGoogleMessage(home, passId);
      if (!known.hasMessages) await recordAtHome(accountCtx, accountCtx.account.id, note);
      return google.addMessage(object.kind, object.resource.id, message);
    },
    async end(kind, id) {
      return (await walletObjects(ctx, issuer)).expireObject(kind, id);
    },
  };
}

async function walletObjects(ctx: Context, issuer: GoogleIssuer): Promise<WalletObjects> {
  return new WalletObjects(await signerOf(ctx, issuer), { calls: sharedCallsOf(ctx) });
}

/**
 * Sends a class: one that is named after its content once per isolate, one that is updated in place once per content.
 */
async function sendClass(
  ctx: Context,
  google: WalletObjects,
  walletClass: WalletResource,
  shouldNotify: boolean,
): Promise<WalletReply> {
  const { kind, resource } = walletClass;
  if (!isUpdatedInPlace(kind)) return google.insertClass(walletClass);
  const replace = async () => {
    const reply = await replaceClass(ctx, resource.id, resource, async () => {
      const sent = await google.replaceClass(walletClass, shouldNotify);
      return { taken: sent.outcome === 'ok', reply: sent };
    });
    return reply ?? { outcome: 'ok' as const };
  };
  // Jobs that replace the same class at the same time would begin again and again.
  return sharedCallsOf(ctx)?.once(`class ${JSON.stringify(resource)}`, replace) ?? replace();
}

const MESSAGE_ID_CHARS = 16;

async function messageOf({ organizationName }: Card, text: string): Promise<WalletMessage> {
  return { id: `push-${(await sha256(text)).slice(0, MESSAGE_ID_CHARS)}`, header: organizationName, body: text };
}

/**
 * Replaces an object with an expired one without values, because Google can't delete objects. Holders see it among
 * their expired passes. An object that Google doesn't have counts as ended.
 */
export async function endObject(
  ctx: Context,
  issuer: GoogleIssuer,
  { passId, kind }: { passId: string; kind: WalletResource['kind'] },
): Promise<WalletReply> {
  const id = objectIdOf(issuer.issuerId, passId);
  const reply: WalletReply = (await senderFor(ctx, issuer)?.end(kind, id)) ?? { outcome: 'ok' };
  if (reply.outcome === 'not_found') return { ...reply, outcome: 'ok' };
  if (reply.outcome !== 'ok') logLine('error', { event: 'google', requestId: ctx.requestId, pass: passId, ...reply });
  return reply;
}
