import { sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { bundleLinks, type Pass } from './table.ts';

/**
 * The statement that makes the link of a bundle, or finds the one it has; none when no bundle is named. It may run before the passes join: a link without passes
 * opens nothing. Of requests that race, all get the link of the first.
 */
export function claimBundleLink(ctx: AccountContext, bundleId: string | null | undefined) {
  if (!bundleId) return [];
  return [
    ctx.db
      .insert(bundleLinks)
      .values({ accountId: ctx.account.id, bundleId, pageToken: randomToken(), createdAt: Date.now() })
      .onConflictDoUpdate({
        target: [bundleLinks.accountId, bundleLinks.bundleId],
        // Changes nothing, and makes the statement return the row that stands.
        set: { createdAt: sql`${bundleLinks.createdAt}` },
      })
      .returning({ pageToken: bundleLinks.pageToken }),
  ];
}

/** The pass with the page token of the bundle that it is in now; `claimed` is the result of `claimBundleLink` when it joins one. */
export function linkToBundle(pass: Pass, claimed: { pageToken: string }[] | undefined): Pass {
  const joined = claimed?.[0]?.pageToken ?? pass.bundlePageToken;
  return { ...pass, bundlePageToken: pass.bundleId === null ? null : joined };
}
