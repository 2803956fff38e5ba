import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import { type Certificate, certificates } from './table.ts';

/**
 * Builds the query of the certificates with which the account may sign, longest valid first; for `chooseCertificate`.
 */
export function signingCertificateQuery(db: Db, accountId: string | SQL) {
  return db
    .select()
    .from(certificates)
    .where(or(eq(certificates.accountId, accountId), isNull(certificates.accountId)))
    .orderBy(desc(certificates.validTo), desc(certificates.id));
}

/** Builds the condition that the account may sign with a certificate of that pass type. */
export function canSign(accountId: string, passTypeId: string): SQL {
  const usable = or(eq(certificates.accountId, accountId), isNull(certificates.accountId));
  return sql`exists (select 1 from ${certificates} where ${and(eq(certificates.passTypeId, passTypeId), usable)})`;
}

/**
 * Returns the certificate that signs: of the requested pass type, else of the default one; the account's own before the
 * service's. Within a pass type, the one that is valid longest, the renewed one. `rows` come from
 * `signingCertificateQuery`.
 */
export function chooseCertificate(rows: Certificate[], passTypeId?: string | null): Certificate | undefined {
  const own = rows.filter((row) => row.accountId !== null);
  const shared = rows.filter((row) => row.accountId === null);
  const ofType = (row: Certificate) => row.passTypeId === passTypeId;
  const defaultOf = (some: Certificate[]) => some.find(({ preferred }) => preferred) ?? some[0];
  return own.find(ofType) ?? shared.find(ofType) ?? defaultOf(own) ?? defaultOf(shared);
}
