import { eq, sql } from 'drizzle-orm';
import { accounts } from '../domain/accounts/table.ts';
import { signingCertificateQuery } from '../domain/certificates/find-signing-certificate.ts';
import type { Certificate } from '../domain/certificates/table.ts';
import { commit } from '../domain/commit.ts';
import { type AccountContext, actingFor, type Context } from '../domain/context.ts';
import { type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import type { PushCause } from '../domain/pass-facts/facts.ts';
import { pageTexts, passesToFillQuery, type Texts, writePushTexts } from '../domain/passes/push/write-push-texts.ts';
import { passes } from '../domain/passes/table.ts';
import {
  claimPage,
  fanOutQuery,
  keysOfPage,
  type PageClaim,
  postponePage,
  settlePage,
} from '../domain/pushes/claim-page.ts';
import { requestPushes } from '../domain/pushes/request-pushes.ts';
import type { PushFanOut } from '../domain/pushes/table.ts';
import { type PushTarget, pushTargetsQuery } from '../domain/registrations/find-push-targets.ts';
import { versionNumber } from '../domain/versions.ts';
import { randomToken } from '../platform/ids.ts';
import { answerFacts, pushToDevices } from './apple/push-to-devices.ts';

/** A page that this job holds. */
interface HeldPage {
  ctx: AccountContext;
  claim: PageClaim;
  fanOut: PushFanOut;
  certificates: Certificate[];
}

/**
 * Job: applies a fan-out to the passes of one page and notifies their devices, in four round trips. Writing and noting
 * it are one batch, so a second delivery does nothing and no pass gets its text twice. Throws when devices must be
 * notified later; the page then keeps only their passes.
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
  const work: HeldPage = { ctx: actingFor(ctx, account), claim, fanOut, certificates };
  let progress: Parameters<typeof postponePage>[3];
  try {
    const texts = fanOut.text !== null && !held.isWritten ? await pageTexts(work.ctx, fanOut.text, toFill) : undefined;
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
    throw error;
  }
}

function causeOf({ kind, version }: PushFanOut): PushCause {
  if (kind === 'text') return 'text';
  return version === null ? 'change' : versionNumber(version);
}

/** Writes what is to be written, and finds the devices to notify in the same batch. */
async function write({ ctx, claim, fanOut }: HeldPage, texts: Texts | undefined): Promise<PushTarget[]> {
  if (fanOut.kind === 'google') {
    const selected = sql`${passes.key} in ${keysOfPage(claim)}`;
    await commit(ctx, [requestPushes(ctx, { selected, wallets: ['google'] })]);
    return [];
  }
  const inPage = sql`${keysOfPage(claim)} as page cross join ${passes} on ${passes.key} = page.key`;
  const targetsQuery = pushTargetsQuery(ctx, claim.accountId, sql`(select ${passes.id} from ${inPage})`);
  if (texts === undefined) return targetsQuery;
  const { statements, request } = writePushTexts(ctx, claim, texts, fanOut.templateId);
  const results = await commit(ctx, [...statements, request, targetsQuery] as const);
  return results.at(-1) as PushTarget[];
}
