import { and, eq, sql } from 'drizzle-orm';
import { rawStatement } from '../../../platform/raw-statement.ts';
import type { GoogleIssuer } from '../../certificates/table.ts';
import type { AccountContext } from '../../context.ts';
import { AccountMoved, acceptsWrites } from '../../moved.ts';
import type { PassType, StoredDefinition } from '../../templates/definition.ts';
import { type GoogleKind, kindOfType } from '../../templates/google/kind.ts';
import { templates } from '../../templates/table.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';
import type { FlightFields } from '../values/pass-fields.ts';

/** Data that decides the kind of a pass at Google. */
interface GoogleKindSource {
  type: PassType;
  flight?: FlightFields | null;
  /** Kind of the object at Google or in save links, or the kind that the pass was created for. */
  googleKind?: GoogleKind | null;
}

/** Whether Google can still show the pass. A flight that loses its flight fields can't become another kind. */
export function canShowAtGoogle({ flight, googleKind }: Pick<GoogleKindSource, 'flight' | 'googleKind'>): boolean {
  return googleKind !== 'flight' || Boolean(flight);
}

/**
 * Returns Google's kind of a pass. An object never changes its kind, so a pass that moved to a template of another type
 * keeps its kind at Google.
 */
export function googleKindOf({ type, flight, googleKind }: GoogleKindSource): GoogleKind {
  return googleKind ?? kindOfType(type, Boolean(flight));
}

/**
 * Marks a new pass as offered to Google, because save links carry the object. From then on every change must reach
 * Google: a holder may save it without our knowledge. Only for issuers known to Google and templates that offer passes
 * there.
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

/** State of a pass that was sent to Google. */
interface SentState {
  passId: string;
  kind: GoogleKind;
  /** Version and revision of the pass, and version of the definition that it showed. */
  passVersion: number;
  passRevision: number;
  templateVersion: number;
}

/**
 * Records that Google has the object of a pass and returns whether it is up to date; `changed` and `gone` mean it
 * isn't. Called after each send, so that of several concurrent ones the last sees no later state. One round trip;
 * writes only once. Throws `AccountMoved` in a database that refuses writes of the account: its state may be outdated.
 */
export async function confirmSent(ctx: AccountContext, sent: SentState): Promise<'current' | 'changed' | 'gone'> {
  const { passId, kind, passVersion, passRevision, templateVersion } = sent;
  const shown = sql<number>`max(${passes.templateVersion}, ${templates.publishedVersion})`.as('shown');
  const [[home], , [now]] = await ctx.db.batch([
    rawStatement(ctx.db, sql`select 1 where ${acceptsWrites(sql`${ctx.account.id}`)}`),
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
  if (!home) throw new AccountMoved(ctx.account.id);
  if (!now) return 'gone';
  const isSent = now.version === passVersion && now.revision === passRevision && now.shown === templateVersion;
  return isSent ? 'current' : 'changed';
}

/** Records that the object of a pass has messages. Call it before the first message is sent. */
export async function noteGoogleMessage(ctx: AccountContext, passId: string): Promise<void> {
  await ctx.db
    .update(passes)
    .set({ googleHasMessages: true })
    .where(and(isOwnPass(ctx.account.id, passId), eq(passes.googleHasMessages, false)));
}

/** Builds the statement for a save callback that records the object at Google, which we may not have sent ourselves. */
export function offeredByLink(ctx: AccountContext, passId: string, kind: GoogleKind, applies: ReturnType<typeof sql>) {
  return ctx.db
    .update(passes)
    .set({ googlePublishedAt: 0, googleKind: kind })
    .where(and(isOwnPass(ctx.account.id, passId), sql`${passes.googlePublishedAt} is null`, applies));
}
