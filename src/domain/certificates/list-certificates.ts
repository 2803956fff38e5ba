import { desc, eq, isNull } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Certificate, certificates } from './table.ts';

export type CertificateFacts = Pick<
  Certificate,
  'id' | 'passTypeId' | 'teamId' | 'development' | 'validFrom' | 'validTo'
>;

/** An account's signing certificates, or with null the service's own, the one that is valid longest first. Never their keys. */
export function listCertificates(ctx: Context, accountId: string | null): Promise<CertificateFacts[]> {
  return ctx.db
    .select({
      id: certificates.id,
      passTypeId: certificates.passTypeId,
      teamId: certificates.teamId,
      development: certificates.development,
      validFrom: certificates.validFrom,
      validTo: certificates.validTo,
    })
    .from(certificates)
    .where(accountId === null ? isNull(certificates.accountId) : eq(certificates.accountId, accountId))
    .orderBy(desc(certificates.validTo));
}
