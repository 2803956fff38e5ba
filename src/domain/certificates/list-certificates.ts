import { desc, eq, isNull } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Certificate, certificates } from './table.ts';

export type CertificateFacts = Pick<
  Certificate,
  'id' | 'accountId' | 'passTypeId' | 'teamId' | 'development' | 'push' | 'preferred' | 'validFrom' | 'validTo'
>;

/** What everybody may see of a certificate who sees it at all. */
export const factColumns = {
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

/**
 * An account's signing certificates, or with null the service's own, or those of a pass type whoever owns them; the one
 * that is valid longest first. Never their keys.
 */
export function listCertificates(
  ctx: Context,
  of: string | null | { passTypeId: string },
): Promise<CertificateFacts[]> {
  return ctx.db.select(factColumns).from(certificates).where(whose(of)).orderBy(desc(certificates.validTo));
}

function whose(of: string | null | { passTypeId: string }) {
  if (of === null) return isNull(certificates.accountId);
  return typeof of === 'string' ? eq(certificates.accountId, of) : eq(certificates.passTypeId, of.passTypeId);
}
