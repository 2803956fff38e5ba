import { eq, sql } from 'drizzle-orm';
import { accounts } from '../../accounts/table.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../../certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../../certificates/table.ts';
import { type AccountContext, actingFor, type Context } from '../../context.ts';
import { byIdentifier, findInShard } from '../../databases/follow-moves.ts';
import { signerFor } from '../../signing-keys/signer.ts';
import { templates } from '../../templates/table.ts';
import type { Card } from '../card/card.ts';
import { resolveCard } from '../card/resolve-card.ts';
import { DEFINED_PASS, type DefinedPass, toDefinedPass } from '../find-pass.ts';
import { isOwnPass } from '../own-pass.ts';
import { withRotatingKey } from '../page/rotating-key.ts';
import { passes } from '../table.ts';

/** Pass with the data that a push to Google needs. */
export interface GooglePass {
  ctx: AccountContext;
  found: DefinedPass;
  /** Every issuer that the account may use. */
  issuers: GoogleIssuer[];
  /** Issuer that the account currently uses. */
  issuer?: GoogleIssuer;
}

/**
 * Returns a pass by its ID, for Google; undefined if there is none. Without `accountId`, the ID comes from Google,
 * which doesn't know accounts. One round trip.
 */
export function findGooglePass(ctx: Context, named: NamedPass): Promise<GooglePass | undefined> {
  // The context of a job is already in the database of its account.
  if (named.accountId !== undefined) return findIn(ctx, named);
  return findInShard(ctx, byIdentifier(named.passId), (home) => findIn(home, named));
}

interface NamedPass {
  accountId?: string;
  passId: string;
}

async function findIn(ctx: Context, { accountId: known, passId }: NamedPass): Promise<GooglePass | undefined> {
  const { db } = ctx;
  const isTarget = known === undefined ? eq(passes.id, passId) : isOwnPass(known, passId);
  const accountId = known ?? sql`(select ${passes.accountId} from ${passes} where ${eq(passes.id, passId)})`;
  const [[row], [account], issuers] = await db.batch([
    db.select(DEFINED_PASS).from(passes).innerJoin(templates, eq(templates.id, passes.templateId)).where(isTarget),
    db.select().from(accounts).where(eq(accounts.id, accountId)),
    googleIssuerQuery(db, accountId),
  ]);
  if (!row || !account) return undefined;
  return { ctx: actingFor(ctx, account), found: toDefinedPass(row), issuers, issuer: chooseGoogleIssuer(issuers) };
}

/** Builds the card of this pass. */
export async function cardOf({ ctx, found }: GooglePass): Promise<Card> {
  const { definition, version, template } = found;
  const { account } = ctx;
  const signer = await signerFor(ctx, definition);
  const { publishedAt } = template;
  const pass = await withRotatingKey(ctx, found.pass, definition);
  return resolveCard({ account, pass, definition, templateVersion: version, publishedAt, links: ctx, signer });
}
