import { eq, type SQL, sql } from 'drizzle-orm';
import { accounts } from '../domain/accounts/table.ts';
import { signingCertificateQuery } from '../domain/certificates/find-signing-certificate.ts';
import { commit } from '../domain/commit.ts';
import { type AccountContext, actingFor, type Context } from '../domain/context.ts';
import { asResumable, type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import type { PushCause } from '../domain/pass-facts/facts.ts';
import { pageTexts, passesToFillQuery, type Texts, writePushTexts } from '../domain/passes/push/write-push-texts.ts';
import { passes } from '../domain/passes/table.ts';
import {
  claimPage,
  fanOutQuery,
  type HeldPage,
  hasGotText,
  keysOfPage,
  listedPasses,
  type PageClaim,
  type PagePasses,
  passesOfPage,
  postponePage,
  settlePage,
} from '../domain/pushes/claim-page.ts';
import { requestPushes } from '../domain/pushes/request-pushes.ts';
import type { PushFanOut } from '../domain/pushes/table.ts';
import { type PushTarget, pushTargetsQuery } from '../domain/registrations/find-push-targets.ts';
import { newRevision, versionNumber } from '../domain/versions.ts';
import { randomToken } from '../platform/ids.ts';
import { answerFacts, pushToDevices } from './apple/push-passes.ts';

/** A page that this job has claimed. */
interface PageWork {
  ctx: AccountContext;
  claim: PageClaim;
  fanOut: PushFanOut;
  page: HeldPage;
}

/**
 * Job: applies a fan-out to the passes of one page and notifies their devices, in four round trips. One batch writes
 * the passes and records that, so a second delivery does nothing and no pass gets its text twice. Throws if devices
 * must be notified later; the page then keeps only their passes.
 */
export async function pushPage(ctx: Context, { accountId, fanOutId, page }: JobOf<'push-page'>): Promise<void> {
  const claim: PageClaim = { accountId, fanOutId, page, claim: randomToken() };
  const [[held], [fanOut], [account], certificates, toFill] = await ctx.db.batch([
    claimPage(ctx, claim),
    fanOutQuery(ctx, claim),
    ctx.db.select().from(accounts).where(eq(accounts.id, accountId)),
    signingCertificateQuery(ctx.db, accountId),
    passesToFillQuery(ctx, claim),
  ]);
  if (!held) return;
  if (!fanOut || !account) return settlePage(ctx, claim);
  const work: PageWork = { ctx: actingFor(ctx, account), claim, fanOut, page: held };
  let progress: Parameters<typeof postponePage>[3];
  try {
    const texts =
      fanOut.text !== null && held.revision === 0 ? await pageTexts(work.ctx, fanOut.text, toFill) : undefined;
    const targets = await write(work, texts);
    const due = targets.map((target) => ({ ...target, text: fanOut.text }));
    const left = await pushToDevices(work.ctx, due, certificates);
    const facts = answerFacts(left, causeOf(fanOut));
    if (left.passIds.size === 0) return await settlePage(ctx, claim, facts);
    progress = { passIds: [...left.passIds], facts };
    throw new RetryLater(left.afterSeconds, left.reason);
  } catch (error) {
    const asked = error instanceof RetryLater ? error.afterSeconds : 0;
    await postponePage(ctx, claim, retryDelay(held.attempts, asked), progress);
    throw asResumable(error);
  }
}

function causeOf({ kind, version }: PushFanOut): PushCause {
  if (kind === 'text') return 'text';
  return version === null ? 'change' : versionNumber(version);
}

/** Writes the texts, and finds the devices to notify in the same batch. */
async function write({ ctx, claim, fanOut, page }: PageWork, texts: Texts | undefined): Promise<PushTarget[]> {
  const { kind, templateId } = fanOut;
  if (kind === 'google') {
    const selected = sql`${passes.key} in ${keysOfPage(claim)}`;
    await commit(ctx, [requestPushes(ctx, { selected, wallets: ['google'] })]);
    return [];
  }
  // A publication applies only to the passes that were counted, not to newer ones among them.
  if (kind === 'devices') return targetsOf(ctx, listedPasses(claim, page), sql`true`);
  const inPage = passesOfPage('text', claim, page, templateId);
  if (texts === undefined) return targetsOf(ctx, inPage, hasGotText(page));
  const revision = newRevision();
  const toWrite = { claim, inPage, atGoogle: passesOfPage('google', claim, page, templateId), templateId };
  const { statements, request } = writePushTexts(ctx, toWrite, texts, revision);
  const targets = targetsOf(ctx, inPage, hasGotText({ ...page, revision }));
  const results = await commit(ctx, [...statements, request, targets] as const);
  return results.at(-1) as PushTarget[];
}

/** Returns the statement that finds the devices of a page's passes that meet a condition. */
function targetsOf(ctx: AccountContext, { from, where }: PagePasses, applies: SQL) {
  return pushTargetsQuery(ctx, ctx.account.id, sql`(select ${passes.id} from ${from} where ${where} and ${applies})`);
}
