import { and, asc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { hasNoneBeyond } from '../passes/bundle-link.ts';
import { type DefinedPass, definedPassQuery, TEMPLATE_STANDS, toDefinedPass } from '../passes/find-pass.ts';
import { passes } from '../passes/table.ts';

/** Reads the identifiers of a bundle's passes, oldest first. Without passes, a bundle does not exist. */
export function membersQuery(ctx: AccountContext, bundleId: string) {
  return ctx.db
    .select({ id: passes.id })
    .from(passes)
    .where(
      and(
        eq(passes.accountId, ctx.account.id),
        eq(passes.bundleId, bundleId),
        TEMPLATE_STANDS,
        hasNoneBeyond(ctx, bundleId),
      ),
    )
    .orderBy(asc(passes.id));
}

/** Identifiers of the passes of the account's bundle, oldest first; one round trip. Throws not found. */
export async function getBundle(ctx: AccountContext, bundleId: string): Promise<string[]> {
  const members = await membersQuery(ctx, bundleId);
  if (members.length === 0) throw notFound();
  return members.map(({ id }) => id);
}

/** The passes of the account's bundle with the definitions that they show; two round trips. Throws not found. */
export async function getBundlePasses(ctx: AccountContext, bundleId: string): Promise<DefinedPass[]> {
  const ids = await getBundle(ctx, bundleId);
  const [first, ...others] = ids.map((id) => definedPassQuery(ctx, id));
  const rows = await ctx.db.batch([first!, ...others]);
  // What was deleted since the first look is no longer in the bundle.
  return rows.filter(([row]) => row?.pass.bundleId === bundleId).map(([row]) => toDefinedPass(row));
}
