import { chooseGoogleIssuer, googleIssuerQuery } from '../../certificates/find-google-issuer.ts';
import type { AccountContext } from '../../context.ts';
import { changePass } from '../change-pass.ts';
import { definedPassQuery, toDefinedPass } from '../find-pass.ts';
import type { Pass } from '../table.ts';
import type { UpdatedPass } from '../update-pass.ts';
import { type KeptTokens, keepTokens, linkTokensOf, openTokens } from './link-tokens.ts';

/**
 * Rotates the secrets in the URLs of a pass's page and file; the old URLs then open nothing. Apple's
 * `authenticationToken` stays, because devices never learn a new one, and so does the link of its bundle, which other
 * passes share. A normal change. Throws not found.
 */
export async function rotateLinks(ctx: AccountContext, name: string): Promise<UpdatedPass> {
  const [[row], issuers] = await ctx.db.batch([definedPassQuery(ctx, name), googleIssuerQuery(ctx.db, ctx.account.id)]);
  const first = toDefinedPass(row);
  const changed = await changePass(ctx, first.pass.id, ({ pass }) => ({ pass: { ...pass, ...rotated(ctx, pass) } }), {
    first,
  });
  return { ...changed, googleIssuer: chooseGoogleIssuer(issuers) };
}

function rotated({ env }: AccountContext, pass: Pass): KeptTokens {
  return keepTokens(env, pass.id, { ...openTokens(env, pass), ...linkTokensOf(pass.id) });
}
