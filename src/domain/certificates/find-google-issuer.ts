import { and, desc, eq, isNotNull, isNull, or, type SQL } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import type { Context } from '../context.ts';
import { type GoogleIssuer, googleIssuers } from './table.ts';

/** Builds the query of all issuers that the account may use, in any order; for `chooseGoogleIssuer`. */
export function googleIssuerQuery(db: Db, accountId: string | SQL) {
  return db
    .select()
    .from(googleIssuers)
    .where(or(eq(googleIssuers.accountId, accountId), isNull(googleIssuers.accountId)));
}

/** Returns the account's newest issuer, or else the service's. `rows` come from `googleIssuerQuery`. */
export function chooseGoogleIssuer(rows: GoogleIssuer[]): GoogleIssuer | undefined {
  // Sorted here, because D1 bills each sorted row as one more read.
  const newestFirst = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return newestFirst.find((row) => row.accountId !== null) ?? newestFirst[0];
}

/**
 * Returns the origin of the stand-in for the issuer with this number, for a local service; undefined if it has none.
 */
export async function findStandIn(ctx: Context, issuerId: string): Promise<string | undefined> {
  const [row] = await ctx.db
    .select({ standInUrl: googleIssuers.standInUrl })
    .from(googleIssuers)
    .where(and(eq(googleIssuers.issuerId, issuerId), isNotNull(googleIssuers.standInUrl)))
    .orderBy(desc(googleIssuers.createdAt));
  return row?.standInUrl ?? undefined;
}
