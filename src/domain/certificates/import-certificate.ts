import { desc, eq, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { type DomainError, invalidField } from '../errors.ts';
import { databaseNames } from '../shard-map.ts';
import { APPLE_ISSUER, APPLE_ROOTS } from './apple-roots.ts';
import { shareServiceKeys } from './copy-service-keys.ts';
import { keepDefaultType, markOfNew, setDefaultType } from './default-pass-type.ts';
import { readSigningMaterial } from './signing-material.ts';
import { type Certificate, certificates } from './table.ts';
import { firstWarning } from './warnings.ts';

const PEM_CHARS_MAX = 50_000;
const Pem = z.string().min(1, 'must not be empty').max(PEM_CHARS_MAX);

export const SigningCertificateFiles = z.object({
  certificatePem: Pem,
  /** PKCS#8 or PKCS#1 PEM, not encrypted. */
  privateKeyPem: Pem,
  /**
   * PEM certificates; the issuer's is stored. It may also follow the certificate. It isn't needed if another
   * certificate that the account may use has it, or if Apple's newest issuer issued the certificate.
   */
  intermediatePem: z.string().max(PEM_CHARS_MAX).default(''),
  /** Issued by a development authority instead of Apple. */
  development: z.boolean().default(false),
  /** Makes its pass type the default. */
  default: z.boolean().default(false),
});
export type SigningCertificateFiles = z.input<typeof SigningCertificateFiles>;

export interface ImportedCertificate extends Pick<Certificate, 'passTypeId' | 'teamId' | 'validTo' | 'development'> {
  certificateId: string;
}

/**
 * Stores a certificate of an account, or of the service (`accountId` null); a renewal keeps push settings, and the
 * default pass type stays. Throws `invalid` if devices would refuse its signatures, none of `roots` signed it, or
 * another account has the pass type: its owner can notify its devices.
 */
export async function importCertificate(
  ctx: Context,
  accountId: string | null,
  input: SigningCertificateFiles,
  roots: readonly string[] = APPLE_ROOTS,
): Promise<ImportedCertificate> {
  const { development, default: becomesDefault, ...files } = checked(SigningCertificateFiles, input);
  const now = Date.now();
  const intermediatePem = [files.intermediatePem, ...(await knownIssuers(ctx, accountId)), APPLE_ISSUER].join('\n');
  const isDeployed = !ctx.env.ADMIN_TOKEN;
  const material = readSigningMaterial({ ...files, intermediatePem }, now, isDeployed ? roots : undefined);
  const { privateKeyPem, ...facts } = material;
  const { passTypeId, teamId, validTo } = facts;
  const id = uuidv7(accountId ? shardOf(accountId) : 0, now);
  const ofType = sql`${certificates.accountId} is ${accountId} and ${certificates.passTypeId} = ${passTypeId}`;
  const privateKeySealed = await encrypt(ctx.env, id, privateKeyPem);
  const warnAt = accountId === null || development ? null : firstWarning(validTo, now);
  const row = { ...facts, id, accountId, privateKeySealed, development, createdAt: now, warnAt };
  const kept = {
    push: sql`(select ${certificates.push} from ${certificates} where ${ofType} and ${certificates.push} is not null limit 1)`,
    // Devices have passes that another certificate of this type signed.
    refreshAt: sql`iif(${accountId} is not null and exists (select 1 from ${certificates} where ${ofType}), ${now}, null)`,
    preferred: markOfNew(accountId, passTypeId),
  };
  // The unique index ignores rows without an account, so the statement itself looks for the certificate.
  const same = sql`${ofType} and ${certificates.validTo} = ${validTo}`;
  const missing = sql`not exists (select 1 from ${certificates} where ${same})`;
  const others = sql`${certificates.passTypeId} = ${passTypeId} and ${certificates.accountId} is not ${accountId}`;
  const isFree = isDeployed ? sql`not exists (select 1 from ${certificates} where ${others})` : sql`true`;
  const target = { type: 'certificate', id, name: passTypeId };
  const inserted = sql`exists (select 1 from ${certificates} where ${eq(certificates.id, id)} and ${certificates.accountId} is ${accountId})`;
  if (isDeployed && (await isTaken(ctx, others))) throw ownedByAnother(passTypeId);
  const [, , stored] = await ctx.db.batch([
    keepDefaultType(ctx, accountId),
    ctx.db
      .insert(certificates)
      .select(sql`select ${rowValues(certificates, row, kept)} where ${missing} and ${isFree}`),
    ctx.db.select({ id: certificates.id, development: certificates.development }).from(certificates).where(same),
    ...(becomesDefault ? [setDefaultType(ctx, accountId, passTypeId)] : []),
    // The service's own certificates don't appear in an account's log.
    ...(accountId === null
      ? []
      : [recordAction(ofOwner(ctx, accountId), { action: 'certificate.import', target }, inserted)]),
  ]);
  if (!stored[0]) throw ownedByAnother(passTypeId);
  if (accountId === null) await shareServiceKeys(ctx);
  return { certificateId: stored[0].id, passTypeId, teamId, validTo, development: stored[0].development };
}

/** Whether an account in another database has the pass type; the insert checks its own database. */
async function isTaken(ctx: Context, others: SQL): Promise<boolean> {
  if (databaseNames(ctx.env).length === 1) return false;
  const found = await forEachDatabase(ctx, ({ db }) =>
    db.select({ id: certificates.id }).from(certificates).where(others).limit(1),
  );
  return found.flat().length > 0;
}

function ownedByAnother(passTypeId: string): DomainError {
  return invalidField('certificate', `the pass type ${passTypeId} belongs to another account of this service`);
}

/** Returns stored issuers, newest first: Apple has few, and users rarely have their file. */
async function knownIssuers(ctx: Context, accountId: string | null): Promise<string[]> {
  const found = await ctx.db
    .select({ pem: certificates.intermediatePem })
    .from(certificates)
    .where(sql`${certificates.accountId} is ${accountId} or ${certificates.accountId} is null`)
    .groupBy(certificates.intermediatePem)
    .orderBy(desc(sql`max(${certificates.createdAt})`));
  return found.map(({ pem }) => pem);
}
