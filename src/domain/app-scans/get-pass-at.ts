import { configurationQuery } from '../app-configurations/find-configuration.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { type FoundPass, passQuery } from '../passes/find-pass.ts';
import { seenAt } from './validity.ts';

/**
 * The account's pass of that name as it is worth at a configuration: voided and redeemed where it is not eligible
 * or has a usage. One round trip. Throws not found for an unknown pass or configuration.
 */
export async function getPassAt(ctx: AccountContext, name: string, configurationId: string): Promise<FoundPass> {
  const [[found], [configuration]] = await ctx.db.batch([
    passQuery(ctx, name),
    configurationQuery(ctx, configurationId),
  ]);
  if (!found || !configuration) throw notFound();
  return { ...found, pass: seenAt(configuration, found.pass) };
}
