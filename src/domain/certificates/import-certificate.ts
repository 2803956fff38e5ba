import { desc, eq, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { type DomainError, invalidField } from '../errors.ts';
import { databaseNames } from '../shard-map.ts';
import { shareServiceKeys } from './copy-service-keys.ts';
import { keepDefaultType, markOfNew, setDefaultType } from './manage-certificates.ts';
import { readSigningMaterial } from './signing-material.ts';
import { type Certificate, certificates } from './table.ts';
import { firstWarning } from './warnings.ts';

/*
 * Apple's root certificates for pass certificates, and the intermediate that issues them, as published at
 * https://www.apple.com/certificateauthority/. Their SHA-256 fingerprints are in the test.
 */

/** Apple Root CA, valid until 2035: issued the intermediates G3, G4 and G5 of Worldwide Developer Relations. */
const APPLE_ROOT_CA = `-----BEGIN CERTIFICATE-----
MIIEuzCCA6OgAwIBAgIBAjANBgkqhkiG9w0BAQUFADBiMQswCQYDVQQGEwJVUzET
MBEGA1UEChMKQXBwbGUgSW5jLjEmMCQGA1UECxMdQXBwbGUgQ2VydGlmaWNhdGlv
biBBdXRob3JpdHkxFjAUBgNVBAMTDUFwcGxlIFJvb3QgQ0EwHhcNMDYwNDI1MjE0
MDM2WhcNMzUwMjA5MjE0MDM2WjBiMQswCQYDVQQGEwJVUzETMBEGA1UEChMKQXBw
bGUgSW5jLjEmMCQGA1UECxMdQXBwbGUgQ2VydGlmaWNhdGlvbiBBdXRob3JpdHkx
FjAUBgNVBAMTDUFwcGxlIFJvb3QgQ0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw
ggEKAoIBAQDkkakJH5HbHkdQ6wXtXnmELes2oldMVeyLGYne+Uts9QerIjAC6Bg+
+FAJ039BqJj50cpmnCRrEdCju+QbKsMflZ56DKRHi1vUFjczy8QPTc4UadHJGXL1
XQ7Vf1+b8iUDulWPTV0N8WQ1IxVLFVkds5T39pyez1C6wVhQZ48ItCD3y6wsIG9w
tj8BMIy3Q88PnT3zK0koGsj+zrW5DtleHNbLPbU6rfQPDgCSC7EhFi501TwN22IW
q6NxkkdTVcGvL0Gz+PvjcM3mo0xFfh9Ma1CWQYnEdGILEINBhzOKgbEwWOxaBDKM
aLOPHd5lc/9nXmW8Sdh2nzMUZaF3lMktAgMBAAGjggF6MIIBdjAOBgNVHQ8BAf8E
BAMCAQYwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUK9BpR5R2Cf70a40uQKb3
R01/CF4wHwYDVR0jBBgwFoAUK9BpR5R2Cf70a40uQKb3R01/CF4wggERBgNVHSAE
ggEIMIIBBDCCAQAGCSqGSIb3Y2QFATCB8jAqBggrBgEFBQcCARYeaHR0cHM6Ly93
d3cuYXBwbGUuY29tL2FwcGxlY2EvMIHDBggrBgEFBQcCAjCBthqBs1JlbGlhbmNl
IG9uIHRoaXMgY2VydGlmaWNhdGUgYnkgYW55IHBhcnR5IGFzc3VtZXMgYWNjZXB0
YW5jZSBvZiB0aGUgdGhlbiBhcHBsaWNhYmxlIHN0YW5kYXJkIHRlcm1zIGFuZCBj
b25kaXRpb25zIG9mIHVzZSwgY2VydGlmaWNhdGUgcG9saWN5IGFuZCBjZXJ0aWZp
Y2F0aW9uIHByYWN0aWNlIHN0YXRlbWVudHMuMA0GCSqGSIb3DQEBBQUAA4IBAQBc
NplMLXi37Yyb3PN3m/J20ncwT8EfhYOFG5k9RzfyqZtAjizUsZAS2L70c5vu0mQP
y3lPNNiiPvl4/2vIB+x9OYOLUyDTOMSxv5pPCmv/K/xZpwUJfBdAVhEedNO3iyM7
R6PVbyTi69G3cN8PReEnyvFteO3ntRcXqNx+IjXKJdXZD9Zr1KIkIxH3oayPc4Fg
xhtbCS+SsvhESPBgOJ4V9T0mZyCKM2r3DYLP3uujL/lTaltkwGMzd/c6ByxW69oP
IQ7aunMZT7XZNn/Bh1XZp5m5MkL72NVxnn6hUrcbvZNCJBIqxw8dtk2cXmPIS4AX
UKqK1drk/NAJBzewdXUh
-----END CERTIFICATE-----`;

/** Apple Root CA - G3, valid until 2039: issued the intermediates on elliptic curves. */
const APPLE_ROOT_CA_G3 = `-----BEGIN CERTIFICATE-----
MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwS
QXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9u
IEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBS
b290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9y
aXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtf
TjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517
IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gA
MGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4
at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
6BgD56KyKA==
-----END CERTIFICATE-----`;

export const APPLE_ROOTS: readonly string[] = [APPLE_ROOT_CA, APPLE_ROOT_CA_G3];

/**
 * Apple Worldwide Developer Relations G4, valid until 2030-12-10: issues pass certificates, which Apple sends without
 * it. Users must upload the file of another generation.
 */
export const APPLE_ISSUER = `-----BEGIN CERTIFICATE-----
MIIEVTCCAz2gAwIBAgIUE9x3lVJx5T3GMujM/+Uh88zFztIwDQYJKoZIhvcNAQEL
BQAwYjELMAkGA1UEBhMCVVMxEzARBgNVBAoTCkFwcGxlIEluYy4xJjAkBgNVBAsT
HUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRYwFAYDVQQDEw1BcHBsZSBS
b290IENBMB4XDTIwMTIxNjE5MzYwNFoXDTMwMTIxMDAwMDAwMFowdTFEMEIGA1UE
Aww7QXBwbGUgV29ybGR3aWRlIERldmVsb3BlciBSZWxhdGlvbnMgQ2VydGlmaWNh
dGlvbiBBdXRob3JpdHkxCzAJBgNVBAsMAkc0MRMwEQYDVQQKDApBcHBsZSBJbmMu
MQswCQYDVQQGEwJVUzCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBANAf
eKp6JzKwRl/nF3bYoJ0OKY6tPTKlxGs3yeRBkWq3eXFdDDQEYHX3rkOPR8SGHgjo
v9Y5Ui8eZ/xx8YJtPH4GUnadLLzVQ+mxtLxAOnhRXVGhJeG+bJGdayFZGEHVD41t
QSo5SiHgkJ9OE0/QjJoyuNdqkh4laqQyziIZhQVg3AJK8lrrd3kCfcCXVGySjnYB
5kaP5eYq+6KwrRitbTOFOCOL6oqW7Z+uZk+jDEAnbZXQYojZQykn/e2kv1MukBVl
PNkuYmQzHWxq3Y4hqqRfFcYw7V/mjDaSlLfcOQIA+2SM1AyB8j/VNJeHdSbCb64D
YyEMe9QbsWLFApy9/a8CAwEAAaOB7zCB7DASBgNVHRMBAf8ECDAGAQH/AgEAMB8G
A1UdIwQYMBaAFCvQaUeUdgn+9GuNLkCm90dNfwheMEQGCCsGAQUFBwEBBDgwNjA0
BggrBgEFBQcwAYYoaHR0cDovL29jc3AuYXBwbGUuY29tL29jc3AwMy1hcHBsZXJv
b3RjYTAuBgNVHR8EJzAlMCOgIaAfhh1odHRwOi8vY3JsLmFwcGxlLmNvbS9yb290
LmNybDAdBgNVHQ4EFgQUW9n6HeeaGgujmXYiUIY+kchbd6gwDgYDVR0PAQH/BAQD
AgEGMBAGCiqGSIb3Y2QGAgEEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQA/Vj2e5bbD
eeZFIGi9v3OLLBKeAuOugCKMBB7DUshwgKj7zqew1UJEggOCTwb8O0kU+9h0UoWv
p50h5wESA5/NQFjQAde/MoMrU1goPO6cn1R2PWQnxn6NHThNLa6B5rmluJyJlPef
x4elUWY0GzlxOSTjh2fvpbFoe4zuPfeutnvi0v/fYcZqdUmVIkSoBPyUuAsuORFJ
EtHlgepZAE9bPFo22noicwkJac3AfOriJP6YRLj477JxPxpd1F1+M02cHSS+APCQ
A1iZQT0xWmJArzmoUUOSqwSonMJNsUvSq3xKX+udO7xPiEAGE/+QF4oIRynoYpgp
pU8RBWk6z/Kf
-----END CERTIFICATE-----`;

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
