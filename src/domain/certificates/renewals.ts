import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { type Certificate, certificates } from './table.ts';

/** Time limit for asking the devices of a renewed certificate; after it, they are asked again. */
const ASK_MS_MAX = 10 * 60_000;
const ROWS_MAX = 5;

export type Renewal = Pick<Certificate, 'id' | 'refreshAt'> & { accountId: string };

/**
 * Builds the end of the certificate that replaced another one of the account and pass type; null if none did. It shows
 * a device that the file of a pass has a new signature.
 */
export function endOfRenewal(accountId: SQL, passTypeId: string): SQL {
  return sql`(select iif(count(*) > 1, max(valid_to), null) from ${certificates}
    where ${certificates.accountId} = ${accountId} and ${eq(certificates.passTypeId, passTypeId)})`;
}

/** Claims certificates that replaced others, and whose passes devices must fetch again. */
export async function claimRenewals(ctx: Context, now: number): Promise<Renewal[]> {
  const { id, accountId, refreshAt } = certificates;
  const due = sql`(select rowid from ${certificates} where ${lte(refreshAt, now)} and ${isNotCopy(certificates.accountId)} order by ${refreshAt} limit ${ROWS_MAX})`;
  const claimed = await ctx.db
    .update(certificates)
    .set({ refreshAt: now + ASK_MS_MAX })
    .where(sql`rowid in ${due}`)
    .returning({ id, accountId, refreshAt });
  return claimed.flatMap(({ accountId, ...one }) => (accountId ? { ...one, accountId } : []));
}

/** Builds the statement that records that all devices of a renewal were asked. */
export function settleRenewal(ctx: Context, { id, accountId, refreshAt }: Renewal) {
  return ctx.db
    .update(certificates)
    .set({ refreshAt: null })
    .where(and(eq(certificates.id, id), eq(certificates.accountId, accountId), eq(certificates.refreshAt, refreshAt!)));
}
