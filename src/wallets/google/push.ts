import type { GoogleIssuer } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { AwaitTurn, waitForCapacity } from '../../domain/google-rate-limit/wait-for-capacity.ts';
import { RetryLater } from '../../domain/jobs.ts';
import type { Fact } from '../../domain/pass-facts/facts.ts';
import { withToken } from '../../domain/passes/card/kept-text.ts';
import {
  awaitGoogleEnd,
  dueGoogleObject,
  endedGoogleObject,
  type NamedPass,
} from '../../domain/passes/deletion/tombstones.ts';
import { cardOf, findGooglePass, type GooglePass } from '../../domain/passes/google/find-google-pass.ts';
import { fitsGoogle, googleKindOf } from '../../domain/passes/google/google-kind.ts';
import type { WalletReply } from './reply.ts';
import { endObject, isReachable, sendCard } from './send-card.ts';

/** What Google answered to the last state of a pass that it got, and which version that was. */
export type GoogleAnswer = Pick<Extract<Fact, { type: 'google_answered' }>, 'outcome' | 'status' | 'version'>;

/** Attempts within one call while others change the pass; the queue's next one goes on. */
const ATTEMPTS_MAX = 5;
/** Seconds to wait where Google does not say; up to twice that, so that not all come back together. */
const PATIENCE_S = 15;

/**
 * Makes Google's object be what the pass shows now, and sends `text` to its holder (`addMessage`). Does nothing for a
 * pass that Google cannot have: no issuer, Google left out by the template, or none of its links given out. What Google
 * does not take is logged and over, and returned like all answers; throws `RetryLater` when it is to be tried again.
 */
export async function pushToGoogle(
  ctx: Context,
  named: NamedPass,
  { text }: { text?: string } = {},
): Promise<GoogleAnswer | undefined> {
  return bringUpToDate(ctx, named, text, ({ found, issuer }) => {
    const { googlePublishedAt } = found.pass;
    // What a local service would have sent is shown for every pass.
    return googlePublishedAt !== null || issuer!.development;
  });
}

/** Gives Google the object of a pass that it has not from us yet. A second run finds that it has it. */
export async function publishToGoogle(ctx: Context, named: NamedPass): Promise<GoogleAnswer | undefined> {
  return bringUpToDate(ctx, named, undefined, ({ found }) => !found.pass.googlePublishedAt);
}

async function bringUpToDate(
  ctx: Context,
  named: NamedPass,
  asked: string | undefined,
  isDue: (pass: GooglePass) => boolean,
): Promise<GoogleAnswer | undefined> {
  const { passId } = named;
  let due = isDue;
  let untold = asked;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const googlePass = await findGooglePass(ctx, named);
    if (!googlePass?.issuer || !isReachable(ctx, googlePass.issuer) || !due(googlePass)) return undefined;
    const { issuer, found } = googlePass;
    const { pass, definition } = found;
    const exists = Boolean(pass.googlePublishedAt);
    if (!exists && !definition.walletApps.google) return undefined;
    const kind = googleKindOf({ ...definition, flight: pass.flight, googleKind: pass.googleKind });
    if (!fitsGoogle(pass)) {
      await endObject(ctx, issuer, { passId, kind }).then(settled);
      return undefined;
    }
    const card = await cardOf(googlePass);
    const known = { exists, hasMessages: pass.googleHasMessages };
    await limitRate(ctx, issuer, 1 + (exists && known.hasMessages ? 1 : 0) + (untold === undefined ? 0 : 1));
    const text = untold && withToken(ctx, pass, untold);
    const reply = await sendCard(googlePass.ctx, { card, issuer, known, text });
    const outcome = settled(reply) ? 'accepted' : 'refused';
    if (outcome === 'refused' || reply.state !== 'changed') {
      return { outcome, status: reply.status, version: card.passVersion };
    }
    due = () => true;
    untold = undefined;
  }
  throw new RetryLater(0, `Google Wallet: pass ${passId} changes faster than it can be sent`);
}

async function limitRate(ctx: Context, issuer: GoogleIssuer, calls: number): Promise<void> {
  if (!issuer.development) await waitForCapacity(ctx, issuer.id, calls);
}

/** Whether Google has taken it; throws `RetryLater` when it may take it later. */
function settled({ outcome, status, message, retryAfterSeconds }: WalletReply): boolean {
  const why = `Google Wallet: ${outcome} ${status ?? ''} ${message ?? ''}`;
  if (outcome === 'unavailable' || outcome === 'not_found') throw new RetryLater(retryAfterSeconds ?? 0, why);
  if (outcome === 'rate_limited') throw new RetryLater(retryAfterSeconds ?? patienceSeconds(), why);
  return outcome === 'ok';
}

function patienceSeconds(): number {
  return Math.ceil(PATIENCE_S * (1 + Math.random()));
}

/** Job: ends the object of a pass that was deleted. A second run finds that it has ended. */
export async function endGoogleObject(ctx: Context, named: NamedPass): Promise<void> {
  const { passId } = named;
  const due = await dueGoogleObject(ctx, named);
  if (!due) return;
  const { issuer, kind, dueAt } = due;
  if (issuer && isReachable(ctx, issuer)) {
    try {
      await limitRate(ctx, issuer, 2);
    } catch (error) {
      if (!(error instanceof AwaitTurn)) throw error;
      return await awaitGoogleEnd(ctx, named, dueAt, error.afterSeconds);
    }
    await endObject(ctx, issuer, { passId, kind }).then(settled);
  }
  await endedGoogleObject(ctx, named, dueAt);
}
