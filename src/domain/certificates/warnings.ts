import { and, eq, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { type Certificate, certificates } from './table.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Days before the end of a certificate on which its owners get a mail. */
const WARNING_DAYS = [30, 7];
/** Time limit for sending a mail; after it, the mail is tried again. */
const MAIL_MS_MAX = 10 * 60_000;
const ROWS_MAX = 20;

/**
 * Returns when the first mail about the end of a certificate is due, in UTC milliseconds: at once for one that ends
 * soon.
 */
export function firstWarning(validTo: number, now: number): number {
  return Math.max(validTo - WARNING_DAYS[0]! * DAY_MS, now);
}

export type EndingCertificate = Pick<Certificate, 'id' | 'passTypeId' | 'validTo' | 'warnAt'> & {
  accountId: string;
  /** Whether another certificate of the type is valid longer. */
  isReplaced: boolean;
};

/** Claims certificates whose owners must be warned, for ten minutes or until settled. */
export async function claimWarnings(ctx: Context, now: number): Promise<EndingCertificate[]> {
  const { warnAt } = certificates;
  const due = sql`(select rowid from ${certificates} where ${lte(warnAt, now)} and ${isNotCopy(certificates.accountId)} order by ${warnAt} limit ${ROWS_MAX})`;
  const { id, accountId, passTypeId, validTo } = certificates;
  const longer = sql`exists (select 1 from ${certificates} as other where other.account_id = certificates.account_id
    and other.pass_type_id = certificates.pass_type_id and other.valid_to > certificates.valid_to)`;
  const claimed = await ctx.db
    .update(certificates)
    .set({ warnAt: now + MAIL_MS_MAX })
    .where(sql`rowid in ${due}`)
    .returning({ id, accountId, passTypeId, validTo, warnAt, isReplaced: longer.mapWith(Boolean) });
  return claimed.flatMap(({ accountId, ...one }) => (accountId ? { ...one, accountId } : []));
}

/** Records that the owners were warned, and when the next warning is due. */
export async function settleWarning(ctx: Context, certificate: EndingCertificate, now: number): Promise<void> {
  const { id, accountId, validTo, warnAt, isReplaced } = certificate;
  const [next] = WARNING_DAYS.map((days) => validTo - days * DAY_MS).filter((at) => at > now);
  await ctx.db
    .update(certificates)
    .set({ warnAt: isReplaced ? null : (next ?? null) })
    .where(and(eq(certificates.id, id), eq(certificates.accountId, accountId), eq(certificates.warnAt, warnAt!)));
}
