import { and, eq, sql } from 'drizzle-orm';
import type { GoogleIssuer } from '../../certificates/table.ts';
import type { AccountContext } from '../../context.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { GoogleKind } from '../../templates/google/kind.ts';
import { templates } from '../../templates/table.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';
import { googleKindOf } from './google-kind.ts';

/**
 * Notes in a new pass that Google may get it by a save link, which carries the object: from then on each change has to
 * reach Google, where a holder may have saved it without our hearing of it. Only for issuers that Google knows, and
 * templates that offer the pass there.
 */
export function offerToGoogle(
  pass: Pass,
  { type, walletApps }: StoredDefinition,
  issuer: GoogleIssuer | undefined,
): Pass {
  if (!issuer || issuer.development || !walletApps.google) return pass;
  return {
    ...pass,
    googlePublishedAt: 0,
    googleKind: googleKindOf({ type, flight: pass.flight, googleKind: pass.googleKind }),
  };
}

/** A state of a pass that was sent to Google. */
export interface SentState {
  passId: string;
  kind: GoogleKind;
  /** Version and revision of the pass, and version of the definition that it showed. */
  passVersion: number;
  passRevision: number;
  templateVersion: number;
}

/**
 * Notes that Google has the object of a pass, and returns whether what it got is what the pass shows now: `changed` and
 * `gone` mean that it is not (any more). Asked after each sending, so that of several at once the one that sees no
 * later state is the last. One round trip; writes the first time only.
 */
export async function confirmSent(ctx: AccountContext, sent: SentState): Promise<'current' | 'changed' | 'gone'> {
  const { passId, kind, passVersion, passRevision, templateVersion } = sent;
  const shown = sql<number>`max(${passes.templateVersion}, ${templates.publishedVersion})`.as('shown');
  const [, [now]] = await ctx.db.batch([
    ctx.db
      .update(passes)
      .set({ googlePublishedAt: Date.now(), googleKind: kind })
      .where(and(isOwnPass(ctx.account.id, passId), sql`coalesce(${passes.googlePublishedAt}, 0) = 0`)),
    ctx.db
      .select({ version: passes.version, revision: passes.revision, shown })
      .from(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(isOwnPass(ctx.account.id, passId)),
  ]);
  if (!now) return 'gone';
  const isSent = now.version === passVersion && now.revision === passRevision && now.shown === templateVersion;
  return isSent ? 'current' : 'changed';
}

/** Notes, before the first message is sent, that the object of a pass has messages. */
export async function noteGoogleMessage(ctx: AccountContext, passId: string): Promise<void> {
  await ctx.db
    .update(passes)
    .set({ googleHasMessages: true })
    .where(and(isOwnPass(ctx.account.id, passId), eq(passes.googleHasMessages, false)));
}

/** For the batch of the callback of a save: Google has an object, though we may not have sent it. */
export function offeredByLink(ctx: AccountContext, passId: string, kind: GoogleKind, applies: ReturnType<typeof sql>) {
  return ctx.db
    .update(passes)
    .set({ googlePublishedAt: 0, googleKind: kind })
    .where(and(isOwnPass(ctx.account.id, passId), sql`${passes.googlePublishedAt} is null`, applies));
}
