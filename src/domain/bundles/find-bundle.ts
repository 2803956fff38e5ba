import { and, asc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { hasOnlyPermittedPasses } from '../passes/bundle-link.ts';
import { type DefinedPass, definedPassQuery, HAS_TEMPLATE, toDefinedPass } from '../passes/find-pass.ts';
import { passes } from '../passes/table.ts';

/** Builds the query of the IDs of a bundle's passes, oldest first. A bundle without passes doesn't exist. */
export function membersQuery(ctx: AccountContext, bundleId: string) {
  return ctx.db
    .select({ id: passes.id })
    .from(passes)
    .where(
      and(
        eq(passes.accountId, ctx.account.id),
        eq(passes.bundleId, bundleId),
        HAS_TEMPLATE,
        hasOnlyPermittedPasses(ctx, bundleId),
      ),
    )
    .orderBy(asc(passes.id));
}

/** Returns the IDs of the passes in the account's bundle, oldest first. One round trip. Throws not found. */
export async function getBundle(ctx: AccountContext, bundleId: string): Promise<string[]> {
  const members = await membersQuery(ctx, bundleId);
  if (members.length === 0) throw notFound();
  return members.map(({ id }) => id);
}

/** Returns the passes of the account's bundle with their definitions. Two round trips. Throws not found. */
export async function getBundlePasses(ctx: AccountContext, bundleId: string): Promise<DefinedPass[]> {
  const ids = await getBundle(ctx, bundleId);
  const [first, ...others] = ids.map((id) => definedPassQuery(ctx, id));
  const rows = await ctx.db.batch([first!, ...others]);
  // Passes that were deleted after the first query are no longer in the bundle.
  return rows.filter(([row]) => row?.pass.bundleId === bundleId).map(([row]) => toDefinedPass(row));
}
