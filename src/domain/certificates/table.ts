import { isNotNull } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** How pushes for a pass type reach Apple's push service. Secrets are encrypted with `pushOwner` as owner. */
export type PushSettings =
  /** From the Worker, with the `mtls_certificates` binding that presents the pass certificate. */
  | { kind: 'mtls'; binding: string }
  /** From the Worker, with provider tokens that a `.p8` key (PKCS#8 PEM) signs. */
  | { kind: 'token'; keyId: string; teamId: string; keySealed: string }
  /** Through an operator's relay (`scripts/apns-relay`), which requires a bearer token. */
  | { kind: 'relay'; url: string; tokenSealed: string };

/** Certificates that sign pass files (Apple "Pass Type ID"), with their private key encrypted. */
export const certificates = sqliteTable(
  'certificates',
  {
    id: text('id').primaryKey(),
    /** Null: the service's own certificate, used by accounts that have none. */
    accountId: text('account_id'),
    /** The subject's UID, for example `pass.com.example.tickets`. */
    passTypeId: text('pass_type_id').notNull(),
    /** The subject's OU. */
    teamId: text('team_id').notNull(),
    certificatePem: text('certificate_pem').notNull(),
    /** The issuer's certificate (Apple: WWDR), which is part of each signature. */
    intermediatePem: text('intermediate_pem').notNull(),
    /** PKCS#8 PEM, encrypted with the row's identifier as owner. */
    privateKeySealed: text('private_key_sealed').notNull(),
    /** Issued by the local development authority: devices refuse its passes, openssl accepts them. */
    development: integer('development', { mode: 'boolean' }).notNull(),
    /** The same for all certificates of an owner and pass type; null: pushes can't be sent. */
    push: text('push', { mode: 'json' }).$type<PushSettings>(),
    /**
     * Whether the pass type is its owner's default for templates that name none; the same for all certificates of the
     * type. An owner may have none from before imports marked it: then it's the one that is valid longest.
     */
    preferred: integer('preferred', { mode: 'boolean' }).notNull().default(false),
    validFrom: integer('valid_from').notNull(),
    validTo: integer('valid_to').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Time of the next mail to the owners about its expiration; a run that sends one advances it. Null: no more. */
    warnAt: integer('warn_at'),
    /** Time from which devices are asked to fetch their passes again, because it replaced another one. */
    refreshAt: integer('refresh_at'),
  },
  (table) => [
    index('certificates_to_warn_of').on(table.warnAt).where(isNotNull(table.warnAt)),
    index('certificates_to_refresh').on(table.refreshAt).where(isNotNull(table.refreshAt)),
    uniqueIndex('certificates_by_pass_type').on(table.accountId, table.passTypeId, table.validTo),
    index('certificates_by_account').on(table.accountId, table.createdAt),
    index('certificates_by_end').on(table.validTo),
  ],
);

export type Certificate = typeof certificates.$inferSelect;

/** Keys without a certificate yet: Apple issues it for the signing request. */
export const certificateRequests = sqliteTable(
  'certificate_requests',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Pass type of the certificate to renew; null for a new one. */
    passTypeId: text('pass_type_id'),
    /** PKCS#10 in PEM, as Apple accepts it. */
    requestPem: text('request_pem').notNull(),
    /** PKCS#8 PEM, encrypted with the row's identifier as owner. */
    privateKeySealed: text('private_key_sealed').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('certificate_requests_by_account').on(table.accountId, table.createdAt),
    index('certificate_requests_by_age').on(table.createdAt),
  ],
);

export type CertificateRequest = typeof certificateRequests.$inferSelect;

/** Google Wallet issuers: the service account that signs save links and calls the REST API. */
export const googleIssuers = sqliteTable(
  'google_issuers',
  {
    id: text('id').primaryKey(),
    /** Null: the service's own issuer, used by accounts that have none. */
    accountId: text('account_id'),
    issuerId: text('issuer_id').notNull(),
    clientEmail: text('client_email').notNull(),
    /** PKCS#8 PEM, encrypted with the row's identifier as owner. */
    privateKeySealed: text('private_key_sealed').notNull(),
    /** Created locally: its save links are well formed and verifiable, but Google doesn't know it. */
    development: integer('development', { mode: 'boolean' }).notNull(),
    /** URL of a stand-in for Google; used only by a local service (`wallets/google/call-google.ts`). */
    standInUrl: text('stand_in_url'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('google_issuers_by_account').on(table.accountId, table.createdAt)],
);

export type GoogleIssuer = typeof googleIssuers.$inferSelect;
