import { and, eq, type SQL, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { type Account, accounts } from '../accounts/table.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import { chooseCertificate, signingCertificateQuery } from '../certificates/find-signing-certificate.ts';
import type { Certificate, GoogleIssuer } from '../certificates/table.ts';
import type { AccountContext, Context } from '../context.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { loadDefinition } from '../templates/load-definition.ts';
import { templates } from '../templates/table.ts';
import type { Card } from './card.ts';
import { resolveCard } from './resolve-card.ts';
import { type Pass, passes } from './table.ts';

/** A pass as its holder sees it, found without a caller's key. */
export interface PublicPass {
  /** Acts for the account of the pass. */
  ctx: AccountContext;
  pass: Pass;
  definition: StoredDefinition;
  card: Card;
  /** Signs the pass file; undefined when neither account nor service has a certificate. */
  certificate?: Certificate;
  googleIssuer?: GoogleIssuer;
}

/** The pass whose download page is at `/p/<name>`: by its secret token, or by its identifier (decisions §7). */
export function findPage(ctx: Context, name: string): Promise<PublicPass | undefined> {
  return findPublicPass(ctx, UUID_PATTERN.test(name) ? eq(passes.id, name) : eq(passes.pageToken, name));
}

/** The pass whose download page is at `/p/<accountId>/<userProvidedId>`; the newest where several match. */
export function findPageOfUser(
  ctx: Context,
  accountId: string,
  userProvidedId: string,
): Promise<PublicPass | undefined> {
  const newest = sql`(select id from ${passes} where ${and(eq(passes.accountId, accountId), eq(passes.userProvidedId, userProvidedId))}
    order by id desc limit 1)`;
  return findPublicPass(ctx, sql`${passes.id} = ${newest}`);
}

/** A pass by its identifier, for links that carry a secret of their own beside it. */
export function findPublicPassById(ctx: Context, id: string): Promise<PublicPass | undefined> {
  return findPublicPass(ctx, eq(passes.id, id));
}

async function findPublicPass(ctx: Context, named: SQL): Promise<PublicPass | undefined> {
  const [found] = await ctx.db
    .select({
      pass: passes,
      published: templates.publishedVersion,
      ...ACCOUNT,
    })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .innerJoin(accounts, eq(accounts.id, passes.accountId))
    .where(named);
  if (!found) return undefined;
  const { pass, published } = found;
  const account = JSON.parse(found.account) as Account;
  const version = Math.max(pass.templateVersion, published);
  const [definition, [certificates, issuers]] = await Promise.all([
    loadDefinition(ctx, pass.templateId, version),
    ctx.db.batch([signingCertificateQuery(ctx.db, account.id), googleIssuerQuery(ctx.db, account.id)]),
  ]);
  return {
    ctx: { ...ctx, account },
    pass,
    definition,
    card: resolveCard({ account, pass, definition, templateVersion: version, baseUrl: ctx.baseUrl }),
    certificate: chooseCertificate(certificates, definition.passTypeId),
    googleIssuer: chooseGoogleIssuer(issuers),
  };
}

/** The account as one JSON column: its names repeat those of other columns, and D1 keeps one column a name. */
const ACCOUNT = {
  account: sql<string>`json_object(
    'id', ${accounts.id}, 'name', ${accounts.name}, 'timezone', ${accounts.timezone}, 'language', ${accounts.language},
    'logoUrl', ${accounts.logoUrl}, 'iconUrl', ${accounts.iconUrl}, 'parentAccountId', ${accounts.parentAccountId},
    'createdAt', ${accounts.createdAt})`.as('account'),
};
