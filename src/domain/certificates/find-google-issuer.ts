import { and, desc, eq, isNotNull, isNull, or, type SQL } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { openPrivateKey } from './private-keys.ts';
import { type GoogleIssuer, googleIssuers } from './table.ts';

export interface OpenGoogleIssuer {
  issuer: GoogleIssuer;
  /** PKCS#8 PEM. */
  privateKeyPem: string;
}

/** The statement that reads every issuer the account may use, in any order; for `chooseGoogleIssuer`. */
export function googleIssuerQuery(db: Db, accountId: string | SQL) {
  return db
    .select()
    .from(googleIssuers)
    .where(or(eq(googleIssuers.accountId, accountId), isNull(googleIssuers.accountId)));
}

/** The account's newest issuer, otherwise the service's. `rows` come from `googleIssuerQuery`. */
export function chooseGoogleIssuer(rows: GoogleIssuer[]): GoogleIssuer | undefined {
  // Sorted here, because D1 counts each row that it sorts as one more that it reads.
  const newestFirst = rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return newestFirst.find((row) => row.accountId !== null) ?? newestFirst[0];
}

/** The issuer with its key. Throws `unprocessable` when neither account nor service has one. */
export async function openGoogleIssuer(ctx: Context, rows: GoogleIssuer[]): Promise<OpenGoogleIssuer> {
  const issuer = chooseGoogleIssuer(rows);
  if (!issuer) throw new DomainError('unprocessable', 'No Google Wallet issuer is set up for this account');
  return {
    issuer,
    privateKeyPem: await openPrivateKey(ctx.env, issuer),
  };
}

/** Origin of the stand-in for the issuer of that number, for a local service; undefined when it has none. */
export async function findStandIn(ctx: Context, issuerId: string): Promise<string | undefined> {
  const [row] = await ctx.db
    .select({ standInUrl: googleIssuers.standInUrl })
    .from(googleIssuers)
    .where(and(eq(googleIssuers.issuerId, issuerId), isNotNull(googleIssuers.standInUrl)))
    .orderBy(desc(googleIssuers.createdAt));
  return row?.standInUrl ?? undefined;
}
