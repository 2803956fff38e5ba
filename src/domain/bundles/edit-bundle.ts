import { and, eq, inArray, notInArray, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { retryUntilWritten } from '../attempts.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, fieldIssue, invalid, invalidField, notFound } from '../errors.ts';
import { BUNDLE_PASSES_MAX } from '../limits.ts';
import { claimBundleLink, hasOnlyPermittedPasses } from '../passes/bundle-link.ts';
import { changePasses } from '../passes/change-passes.ts';
import { type DefinedPass, definedPassQuery, HAS_TEMPLATE, toDefinedPass } from '../passes/find-pass.ts';
import { bundleCopy, openBundleToken, pathOfPage } from '../passes/page/links.ts';
import { passes } from '../passes/table.ts';
import { requestPublications } from '../pushes/request-pushes.ts';
import { getBundlePasses, membersQuery } from './find-bundle.ts';

/** Bundle as the reply to a create shows it. */
export interface LinkedBundle {
  bundleId: string;
  /** URL of the download page of the whole bundle. */
  urlToPass: string;
}

/**
 * Adds passes to a bundle, which exists from its first pass on. `names` are names that a path accepts. Members stay as
 * they are; other passes leave their bundle. Two round trips. Throws `invalid` for each unknown pass and for more than
 * ten passes in all; nothing is changed then.
 */
export function addToBundle(ctx: AccountContext, bundleId: string, names: string[]): Promise<LinkedBundle> {
  return retryUntilWritten('The passes', async () => {
    await refuseUnknown(ctx, bundleId);
    const { link, members, named, googleKnows } = await read(ctx, bundleId, names);
    const joining = named.filter(({ pass }) => pass.bundleId !== bundleId);
    if (members.length + joining.length > BUNDLE_PASSES_MAX) throw tooMany(members.length, joining.length);
    const written = await changePasses(ctx, {
      found: joining,
      values: { bundleId, bundlePageToken: bundleCopy(ctx.env, link) },
      event: 'pass_updated',
      action: members.length === 0 ? 'bundle.create' : 'bundle.add',
      bundleId,
      holds: hasRoom(ctx, bundleId, joining),
      behind: googleKnows ? [publication(ctx, bundleId, joining)] : [],
    });
    if (!written) return undefined;
    return { bundleId, urlToPass: ctx.baseUrl + pathOfPage(openBundleToken(ctx.env, link)) };
  });
}

/** Google must have every new pass: the bundle has one save link, which names its passes. */
function publication(ctx: AccountContext, bundleId: string, joining: DefinedPass[]) {
  const ids = joining.map(({ pass }) => pass.id);
  return requestPublications(
    ctx,
    and(inArray(passes.id, ids), eq(passes.accountId, ctx.account.id), eq(passes.bundleId, bundleId))!,
  );
}

async function read(ctx: AccountContext, bundleId: string, names: string[]) {
  const [link, members, issuers, ...rows] = await ctx.db.batch([
    claimBundleLink(ctx, bundleId)[0]!,
    membersQuery(ctx, bundleId),
    googleIssuerQuery(ctx.db, ctx.account.id),
    ...names.map((name) => definedPassQuery(ctx, name)),
  ]);
  const found = rows as Awaited<ReturnType<typeof definedPassQuery>>[];
  const unknown = names.filter((_, i) => !found[i]?.[0]);
  if (unknown.length > 0)
    throw invalid(unknown.map((name) => fieldIssue('passes', `"${name}" is not a pass of this account`)));
  const byId = new Map(found.map(([row]) => [row!.pass.id, toDefinedPass(row)]));
  const issuer = chooseGoogleIssuer(issuers);
  return {
    link: link[0]!,
    members,
    named: [...byId.values()],
    googleKnows: issuer !== undefined && !issuer.development,
  };
}

/** Builds the condition that the bundle has room at the moment of the write, even if other passes join concurrently. */
function hasRoom(ctx: AccountContext, bundleId: string, joining: DefinedPass[]) {
  const ids = joining.map(({ pass }) => pass.id);
  const members = and(eq(passes.accountId, ctx.account.id), eq(passes.bundleId, bundleId), HAS_TEMPLATE);
  const others = and(members, notInArray(passes.id, ids));
  const room = sql`(select count(*) from ${passes} where ${others}) <= ${BUNDLE_PASSES_MAX - joining.length}`;
  return and(room, hasOnlyPermittedPasses(ctx, bundleId))!;
}

/** Throws not found if the bundle has a pass that a restricted key can't see. One more round trip for such keys. */
async function refuseUnknown(ctx: AccountContext, bundleId: string): Promise<void> {
  const isKnown = hasOnlyPermittedPasses(ctx, bundleId);
  if (!isKnown) return;
  const [row] = await rawStatement<{ holds: number }>(ctx.db, sql`select ${isKnown} as holds`);
  if (!row?.holds) throw notFound();
}

function tooMany(members: number, joining: number): DomainError {
  const limit = `a bundle can have at most ${BUNDLE_PASSES_MAX} passes`;
  return invalidField('passes', `${limit}; this one has ${members}, and you are adding ${joining}`);
}

/**
 * Voids or restores all passes of a bundle in one batch; passes already in that state stay as they are. Returns the IDs
 * of all its passes, so that a repeated request gets the same reply. Three round trips. Throws not found.
 */
export function voidBundle(ctx: AccountContext, bundleId: string, voided: boolean): Promise<string[]> {
  return retryUntilWritten('The passes', async () => {
    const members = await getBundlePasses(ctx, bundleId);
    const written = await changePasses(ctx, {
      found: members.filter(({ pass }) => pass.voided !== voided),
      values: voided ? { voided } : { voided, redeemed: false },
      event: voided ? 'pass_voided' : 'pass_unvoided',
      action: voided ? 'bundle.void' : 'bundle.unvoid',
      bundleId,
    });
    return written ? members.map(({ pass }) => pass.id) : undefined;
  });
}

/** Removes all passes from a bundle; its link then opens nothing. Three round trips. Throws not found. */
export async function dissolveBundle(ctx: AccountContext, id: string): Promise<void> {
  await retryUntilWritten('The passes', async () => {
    const found = await getBundlePasses(ctx, id);
    const values = { bundleId: null, bundlePageToken: null };
    const change = { found, values, event: 'pass_updated', action: 'bundle.dissolve', bundleId: id } as const;
    return (await changePasses(ctx, change)) || undefined;
  });
}
