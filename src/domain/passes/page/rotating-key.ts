import { and, sql } from 'drizzle-orm';
import { fromBase64 } from '../../../platform/crypto.ts';
import type { KeySettings } from '../../../platform/encryption-keys.ts';
import { hex } from '../../../platform/ids.ts';
import { totp } from '../../../platform/totp.ts';
import type { AccountContext } from '../../context.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { CardBarcode } from '../card/card.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';
import { type KeptTokens, keepTokens, newRotatingKey, openTokens } from './link-tokens.ts';

/** The key of the codes of a pass in hexadecimal; undefined for one that has none, or whose key may not be known. */
export function rotatingKey(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string | undefined {
  const { rotating } = openTokens(keys, pass);
  return rotating && hex(fromBase64(rotating));
}

/** The code of a card at a time (UTC milliseconds); empty where it may not be known. */
export function codeAt({ value, rotating }: CardBarcode, millis: number): string {
  if (!rotating) return value;
  return rotating.key ? `${value}.${totp(Buffer.from(rotating.key, 'hex'), millis, rotating)}` : '';
}

/**
 * The pass with a key for its codes, if it needs one and has none: it was made before the codes of its template
 * rotated, or came from another template. One round trip then, otherwise none. Of requests that race, one makes it.
 */
export async function withRotatingKey(ctx: AccountContext, pass: Pass, definition: StoredDefinition): Promise<Pass> {
  const { id, secrets } = pass;
  if (!definition.barcode.rotating) return pass;
  const tokens = openTokens(ctx.env, pass);
  if (tokens.rotating) return pass;
  const kept = keepTokens(ctx.env, id, { ...tokens, rotating: newRotatingKey() });
  const { pageToken, fileToken, authenticationToken } = kept;
  const isIt = isOwnPass(ctx.account.id, id);
  const stands = sql`${passes.secrets} is ${secrets} and ${passes.pageToken} = ${pass.pageToken}`;
  const [, [row]] = await ctx.db.batch([
    ctx.db
      .update(passes)
      .set({ pageToken, fileToken, authenticationToken, secrets: kept.secrets })
      .where(and(isIt, stands)),
    ctx.db
      .select({
        pageToken: passes.pageToken,
        fileToken: passes.fileToken,
        authenticationToken: passes.authenticationToken,
        secrets: passes.secrets,
      })
      .from(passes)
      .where(isIt),
  ]);
  return row ? { ...pass, ...row } : pass;
}
