import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { certificates } from './table.ts';

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
