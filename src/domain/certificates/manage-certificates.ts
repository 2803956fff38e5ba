import { and, desc, eq, getTableColumns, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext, Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { DomainError, notFound } from '../errors.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { newId } from '../write-once.ts';
import {
  type Certificate,
  type CertificateRequest,
  certificateRequests,
  certificates,
  type GoogleIssuer,
  googleIssuers,
} from './table.ts';

/*
 * An account's view of its own certificates, and its actions on them. Only the operator manages those of the service.
 */

export type OwnGoogleIssuer = Pick<GoogleIssuer, 'id' | 'issuerId' | 'clientEmail' | 'development' | 'createdAt'>;

const factColumns = {
  id: certificates.id,
  accountId: certificates.accountId,
  passTypeId: certificates.passTypeId,
  teamId: certificates.teamId,
  development: certificates.development,
  push: certificates.push,
  preferred: certificates.preferred,
  validFrom: certificates.validFrom,
  validTo: certificates.validTo,
};

type CertificateFacts = Pick<Certificate, keyof typeof factColumns>;

const ownColumns = { ...factColumns, createdAt: certificates.createdAt };

export type OwnCertificate = Pick<Certificate, keyof typeof ownColumns>;

function isOwn(ctx: AccountContext, id: string): SQL | undefined {
  return and(eq(certificates.id, id), eq(certificates.accountId, ctx.account.id));
}

/** A signing request that waits for its certificate. */
export type OpenRequest = Pick<CertificateRequest, 'id' | 'passTypeId' | 'requestPem' | 'createdAt'>;

/**
 * Lists the account's certificates, issuers and requests; the longest valid certificate, the issuer in use and the
 * newest request come first. One round trip.
 */
export async function listOwnKeys(
  ctx: AccountContext,
): Promise<{ certificates: OwnCertificate[]; issuers: OwnGoogleIssuer[]; requests: OpenRequest[] }> {
  const { id, issuerId, clientEmail, development, createdAt } = googleIssuers;
  const { accountId: _, privateKeySealed: __, ...openColumns } = getTableColumns(certificateRequests);
  const [own, issuers, requests] = await ctx.db.batch([
    ctx.db
      .select(ownColumns)
      .from(certificates)
      .where(eq(certificates.accountId, ctx.account.id))
      .orderBy(desc(certificates.validTo), desc(certificates.id)),
    ctx.db
      .select({ id, issuerId, clientEmail, development, createdAt })
      .from(googleIssuers)
      .where(eq(googleIssuers.accountId, ctx.account.id))
      .orderBy(desc(createdAt), desc(id)),
    ctx.db
      .select(openColumns)
      .from(certificateRequests)
      .where(eq(certificateRequests.accountId, ctx.account.id))
      .orderBy(desc(certificateRequests.createdAt), desc(certificateRequests.id)),
  ]);
  return { certificates: own, issuers, requests };
}

export interface ShownCertificate extends OwnCertificate {
  /** Whether it signs for its pass type: no other certificate of the account is valid longer. */
  signs: boolean;
  /** Whether it signs for templates without a pass type. */
  isDefault: boolean;
  passCount: number;
}

/** Returns a certificate of the account and its use. One round trip; throws not found. */
export async function getOwnCertificate(ctx: AccountContext, id: string): Promise<ShownCertificate> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [certificate] = await ctx.db
    .select({
      ...ownColumns,
      signs: signs().mapWith(Boolean),
      isDefault: isDefault(ctx.account.id).mapWith(Boolean),
      passCount: sql<number>`(${usedBy(ctx.account.id, sql`coalesce(sum(${templates.passCount}), 0)`)})`,
    })
    .from(certificates)
    .where(isOwn(ctx, id));
  if (!certificate) throw notFound();
  return certificate;
}

/**
 * Builds the condition that a certificate is the one that signs for its pass type. Names the outer row by its table.
 */
function signs(): SQL {
  return sql`not exists (select 1 from ${certificates} as other where other.account_id = certificates.account_id
    and other.pass_type_id = certificates.pass_type_id and (other.valid_to, other.id) > (certificates.valid_to, certificates.id))`;
}

/** Builds the condition that it is the one for templates without a pass type, the same as `chooseCertificate`. */
function isDefault(accountId: string): SQL {
  return sql`certificates.id = (select other.id from ${certificates} as other where other.account_id = ${accountId}
    order by other.preferred desc, other.valid_to desc, other.id desc limit 1)`;
}

/** Selects the account's templates with passes that a certificate signs, by name or as the default. */
function usedBy(accountId: string, column: SQL): SQL {
  const named = sql`${templateVersions.definition} ->> '$.passTypeId'`;
  const ofTemplate = eq(templateVersions.templateId, templates.id);
  const isMeant = or(sql`${named} = certificates.pass_type_id`, sql`${named} is null and ${isDefault(accountId)}`);
  return sql`select ${column} from ${templates} where ${eq(templates.accountId, accountId)} and ${templates.passCount} > 0
    and ${signs()} and exists (select 1 from ${templateVersions} where ${and(ofTemplate, isMeant)})`;
}

/** Returns the templates with passes that a certificate of the account signs, by name or as the default. */
export async function templatesSignedBy({ db }: Context, accountId: string, id: string): Promise<string[]> {
  const [found] = await db
    .select({ ids: sql<string>`(${usedBy(accountId, sql`json_group_array(${templates.id})`)})` })
    .from(certificates)
    .where(and(eq(certificates.id, id), eq(certificates.accountId, accountId)));
  return found ? JSON.parse(found.ids) : [];
}

/** Sets the pass type for templates that name none. Throws not found. */
export async function preferCertificate(ctx: AccountContext, id: string): Promise<void> {
  const { passTypeId } = await getOwnCertificate(ctx, id);
  const entryId = newId(ctx, `prefer certificate ${id}`);
  const target = { type: 'certificate', id, name: passTypeId };
  await ctx.db.batch([
    setDefaultType(ctx, ctx.account.id, passTypeId),
    recordAction(ctx, { id: entryId, action: 'certificate.prefer', target }),
  ]);
}

/**
 * Deletes a certificate that no pass needs: it has expired, a longer valid one of its pass type replaced it, or its
 * templates have no passes. Throws `conflict` for others, and not found.
 */
export async function deleteCertificate(ctx: AccountContext, id: string): Promise<void> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const isFree = or(lt(certificates.validTo, Date.now()), sql`not exists (${usedBy(ctx.account.id, sql`1`)})`);
  const isTarget = and(isOwn(ctx, id), isNotNull(certificates.accountId), isFree);
  const target = { type: 'certificate', id, name: sql`${certificates.passTypeId}` };
  await enterOnce(ctx, `delete certificate ${id}`, async (entryId) => {
    const [, deleted] = await ctx.db.batch([
      recordAction(ctx, { id: entryId, action: 'certificate.delete', target, from: certificates }, isTarget),
      ctx.db.delete(certificates).where(isTarget).returning({ id: certificates.id }),
    ]);
    if (deleted.length > 0) return;
    const { passCount } = await getOwnCertificate(ctx, id);
    throw new DomainError(
      'conflict',
      `The certificate signs the updates of ${passCount} passes; import its renewal first`,
    );
  });
}

/**
 * Returns an account's signing certificates, or with null the service's own, without their keys; the longest valid one
 * first.
 */
export function listCertificates(ctx: Context, accountId: string | null): Promise<CertificateFacts[]> {
  return certificatesWhere(
    ctx,
    accountId === null ? isNull(certificates.accountId) : eq(certificates.accountId, accountId),
  );
}

/** Returns the certificates of a pass type, whoever owns them; the longest valid one first. */
export async function listCertificatesOfType(ctx: Context, passTypeId: string): Promise<CertificateFacts[]> {
  const lists = await forEachDatabase(ctx, (home) => certificatesWhere(home, eq(certificates.passTypeId, passTypeId)));
  // Each database has the service's certificates.
  const different = new Map(lists.flat().map((one) => [one.id, one]));
  return [...different.values()].sort((a, b) => b.validTo - a.validTo);
}

function certificatesWhere({ db }: Context, condition: SQL): Promise<CertificateFacts[]> {
  return db.select(factColumns).from(certificates).where(condition).orderBy(desc(certificates.validTo));
}

/*
 * The pass type for templates that name none, of an account or of the service (`accountId` null). Passes on devices
 * stop updating if it changes, so only its owner changes it: no import does.
 */

function isOwnedBy(accountId: string | null): SQL {
  return sql`${certificates.accountId} is ${accountId}`;
}

/** Builds the statement that marks today's default, the longest valid certificate's, if none is marked yet. */
export function keepDefaultType({ db }: Context, accountId: string | null) {
  const owned = isOwnedBy(accountId);
  const longestValid = sql`(select ${certificates.passTypeId} from ${certificates} where ${owned}
    order by ${certificates.validTo} desc, ${certificates.id} desc limit 1)`;
  const noneIsMarked = sql`not exists (select 1 from ${certificates} where ${owned} and ${certificates.preferred})`;
  return db
    .update(certificates)
    .set({ preferred: true })
    .where(sql`${owned} and ${certificates.passTypeId} = ${longestValid} and ${noneIsMarked}`);
}

/** Builds a new certificate's mark, after `keepDefaultType`: that of its type, or set for the owner's first one. */
export function markOfNew(accountId: string | null, passTypeId: string): SQL {
  return sql`not exists (select 1 from ${certificates} where ${isOwnedBy(accountId)} and ${certificates.preferred}
    and ${certificates.passTypeId} <> ${passTypeId})`;
}

/** Builds the statement that makes a pass type the default if its owner has a certificate of it. */
export function setDefaultType({ db }: Context, accountId: string | null, passTypeId: string) {
  const owned = isOwnedBy(accountId);
  const ofType = sql`${certificates.passTypeId} = ${passTypeId}`;
  return db
    .update(certificates)
    .set({ preferred: ofType })
    .where(sql`${owned} and exists (select 1 from ${certificates} where ${owned} and ${ofType})`);
}
