import { and, sql } from 'drizzle-orm';
import { fromBase64 } from '../../../platform/crypto.ts';
import { hex } from '../../../platform/ids.ts';
import type { KeySettings } from '../../../platform/sealed-text.ts';
import { totp } from '../../../platform/totp.ts';
import type { AccountContext } from '../../context.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { CardBarcode } from '../card/card.ts';
import { isOwnPass } from '../own-pass.ts';
import { type Pass, passes } from '../table.ts';
import { type KeptTokens, keepTokens, newRotatingKey, openTokens } from './links.ts';

/** Returns the key of a pass's codes in hexadecimal; undefined if it has none or its secrets were removed. */
export function rotatingKey(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string | undefined {
  const { rotating } = openTokens(keys, pass);
  return rotating && hex(fromBase64(rotating));
}

/** Returns the code of a card at a time (UTC milliseconds); empty if the card doesn't contain the key. */
export function codeAt({ value, rotating }: CardBarcode, millis: number): string {
  if (!rotating) return value;
  return rotating.key ? `${value}.${totp(Buffer.from(rotating.key, 'hex'), millis, rotating)}` : '';
}

/**
 * Returns the pass with a key for its codes. Creates a missing one, for example after a move from another template; one
 * of several concurrent requests does so. One round trip then, otherwise none.
 */
export async function withRotatingKey(ctx: AccountContext, pass: Pass, definition: StoredDefinition): Promise<Pass> {
  const { id, secrets } = pass;
  if (!definition.barcode.rotating) return pass;
  const tokens = openTokens(ctx.env, pass);
  if (tokens.rotating) return pass;
  const kept = keepTokens(ctx.env, id, { ...tokens, rotating: newRotatingKey() });
  const { pageToken, fileToken, authenticationToken } = kept;
  const isTarget = isOwnPass(ctx.account.id, id);
  const isUnchanged = sql`${passes.secrets} is ${secrets} and ${passes.pageToken} = ${pass.pageToken}`;
  const [, [row]] = await ctx.db.batch([
    ctx.db
      .update(passes)
      .set({ pageToken, fileToken, authenticationToken, secrets: kept.secrets })
      .where(and(isTarget, isUnchanged)),
    ctx.db
      .select({
        pageToken: passes.pageToken,
        fileToken: passes.fileToken,
        authenticationToken: passes.authenticationToken,
        secrets: passes.secrets,
      })
      .from(passes)
      .where(isTarget),
  ]);
  return row ? { ...pass, ...row } : pass;
}
