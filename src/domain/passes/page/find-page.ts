import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { lowerUuid } from '../../../platform/ids.ts';
import { shardOfToken } from '../../../platform/shard-tokens.ts';
import { type Account, accounts } from '../../accounts/table.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../certificates/find-google-issuer.ts';
import { chooseCertificate, signingCertificateQuery } from '../../certificates/find-signing-certificate.ts';
import type { Certificate, GoogleIssuer } from '../../certificates/table.ts';
import { type AccountContext, actingFor, type Context } from '../../context.ts';
import { byIdentifier, findInShard } from '../../databases/follow-moves.ts';
import { signerFor } from '../../signing-keys/signer.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { templates } from '../../templates/table.ts';
import type { Card } from '../card/card.ts';
import { resolveCard } from '../card/resolve-card.ts';
import { HAS_TEMPLATE } from '../find-pass.ts';
import { isNamedIn } from '../own-pass.ts';
import { bundleLinks, type Pass, passes } from '../table.ts';
import { formsOf, openAddressOf, type PageName, withoutSecrets } from './links.ts';
import { withRotatingKey } from './rotating-key.ts';

/** Pass as its holder sees it, found without a caller's key. */
export interface PublicPass {
  ctx: AccountContext;
  pass: Pass;
  definition: StoredDefinition;
  card: Card;
  /** Signs the pass file; undefined if neither the account nor the service has a certificate. */
  certificate?: Certificate;
  googleIssuer?: GoogleIssuer;
  /** Whether the URL isn't secret. Pass and card then contain no secrets (`withoutSecrets`). */
  isOpenlyNamed: boolean;
}

/** Use of the pass. A page at an open URL gets no secrets; a pass file is always the same. */
export type PageUse = 'page' | 'file';

/** Finds a pass by its page name. A `userProvidedId` means the newest pass, unless the account turned this off. */
export async function findPage(ctx: Context, name: PageName, use: PageUse): Promise<PublicPass | undefined> {
  const openAddress = use === 'page' ? openAddressOf(name) : undefined;
  return findInShard(ctx, placedBy(name), async (home) => {
    const [found] = await findPublicPasses(home, namedBy(name), openAddress);
    return found;
  });
}

function placedBy(name: PageName): { shard: number; name: string } {
  if ('token' in name) return { shard: shardOfToken(name.token), name: name.token };
  return byIdentifier(lowerUuid('id' in name ? name.id : name.accountId));
}

function namedBy(name: PageName): SQL {
  if ('token' in name) return inArray(passes.pageToken, formsOf(name.token));
  if ('id' in name) return eq(passes.id, lowerUuid(name.id));
  const { accountId, userProvidedId } = name;
  const newest = sql`(select id from ${passes} where ${and(isNamedIn(lowerUuid(accountId)), eq(passes.userProvidedId, userProvidedId), HAS_TEMPLATE)}
    order by key desc limit 1)`;
  return sql`${passes.id} = ${newest} and ${eq(accounts.userProvidedLinks, true)}`;
}

/** Returns a pass by its ID, for links that contain their own secret besides it. */
export function findPublicPassById(ctx: Context, id: string): Promise<PublicPass | undefined> {
  return findPage(ctx, { id }, 'file');
}

/** Bundle as the holder of its link sees it. */
export interface PublicBundle {
  /** Name of its page in the URL: the bundle's secret, or the open name of one of its passes. */
  pageToken: string;
  /** Oldest first, at least one. */
  passes: PublicPass[];
}

/** Returns the bundle whose page is at `/p/<pageToken>`; undefined if there is none or it is empty. */
export async function findBundlePage(ctx: Context, pageToken: string): Promise<PublicBundle | undefined> {
  const linked = (column: 'account_id' | 'bundle_id') =>
    sql`(select ${sql.identifier(column)} from ${bundleLinks} where ${inArray(bundleLinks.pageToken, formsOf(pageToken))})`;
  const members = sql`${passes.accountId} = ${linked('account_id')} and ${passes.bundleId} = ${linked('bundle_id')}`;
  return findInShard(ctx, { shard: shardOfToken(pageToken), name: pageToken }, async (home) => {
    const found = await findPublicPasses(home, members);
    return found.length > 0 ? { pageToken, passes: found } : undefined;
  });
}

/** Returns the bundle of a pass with an open URL; undefined if it is in none. */
export async function findBundleOf(
  { ctx, pass }: PublicPass,
  name: PageName,
  use: PageUse,
): Promise<PublicBundle | undefined> {
  const address = openAddressOf(name);
  if (pass.bundleId === null || address === undefined) return undefined;
  const members = and(eq(passes.accountId, pass.accountId), eq(passes.bundleId, pass.bundleId))!;
  const found = await findPublicPasses(ctx, members, use === 'page' ? address : undefined);
  return found.length > 0 ? { pageToken: address, passes: found } : undefined;
}

/** Returns passes of one account, oldest first; without secrets if `openAddress` is set. */
async function findPublicPasses(ctx: Context, selected: SQL, openAddress?: string): Promise<PublicPass[]> {
  const rows = await ctx.db
    .select({
      pass: passes,
      published: templates.publishedVersion,
      publishedAt: templates.publishedAt,
      ...ACCOUNT,
    })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .innerJoin(accounts, eq(accounts.id, passes.accountId))
    .where(selected)
    .orderBy(asc(passes.id));
  if (!rows[0]) return [];
  const account = JSON.parse(rows[0].account) as Account;
  const accountCtx = actingFor(ctx, account);
  const definitions = new Map<string, Promise<StoredDefinition>>();
  const definitionOf = (templateId: string, version: number) => {
    const key = `${templateId}:${version}`;
    const loading = definitions.get(key) ?? getDefinition(ctx, templateId, version);
    definitions.set(key, loading);
    return loading;
  };
  const [[certificates, issuers], ...shown] = await Promise.all([
    ctx.db.batch([signingCertificateQuery(ctx.db, account.id), googleIssuerQuery(ctx.db, account.id)]),
    ...rows.map(async ({ pass: stored, published, publishedAt }) => {
      const templateVersion = Math.max(stored.templateVersion, published);
      const definition = await definitionOf(stored.templateId, templateVersion);
      const keyed = await withRotatingKey(accountCtx, stored, definition);
      const pass = openAddress === undefined ? keyed : withoutSecrets(keyed, openAddress);
      const signer = await signerFor(accountCtx, definition);
      const card = resolveCard({ account, pass, definition, templateVersion, publishedAt, links: ctx, signer });
      return { pass, definition, card };
    }),
  ]);
  return shown.map((of) => ({
    ctx: accountCtx,
    ...of,
    certificate: chooseCertificate(certificates, of.definition.passTypeId),
    googleIssuer: chooseGoogleIssuer(issuers),
    isOpenlyNamed: openAddress !== undefined,
  }));
}

/** The account as one JSON column: its column names repeat those of other tables, and D1 returns one per name. */
const ACCOUNT = {
  account: sql<string>`json_object(
    'id', ${accounts.id}, 'name', ${accounts.name}, 'timezone', ${accounts.timezone}, 'language', ${accounts.language},
    'logoUrl', ${accounts.logoUrl}, 'iconUrl', ${accounts.iconUrl}, 'parentAccountId', ${accounts.parentAccountId},
    'maxActivePasses', ${accounts.maxActivePasses}, 'ancestorIds', json(${accounts.ancestorIds}), 'replyTo', ${accounts.replyTo},
    'userProvidedLinks', json(iif(${accounts.userProvidedLinks}, 'true', 'false')),
    'hasWebhooks', json(iif(${accounts.hasWebhooks}, 'true', 'false')), 'livesIn', ${accounts.livesIn},
    'createdAt', ${accounts.createdAt})`.as('account'),
};
