import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { HAS_TEMPLATE } from '../passes/find-pass.ts';
import { openBundleToken, pathOfPage } from '../passes/page/links.ts';
import { bundleLinks, passes } from '../passes/table.ts';

/** Bundle as lists show it. */
export interface ListedBundle {
  bundleId: string;
  /** URL of its download page. */
  pageUrl: string;
  createdAt: number;
  passCount: number;
  voidedCount: number;
}

/**
 * Lists the account's bundles in the order of their IDs, from `after` on. One round trip. A page reads the links of its
 * bundles, the links of empty bundles between them, and at most ten passes each.
 */
export async function listBundles(
  ctx: AccountContext,
  page: { after?: string; limit: number },
): Promise<ListedBundle[]> {
  const rows = await ctx.db
    .select({
      bundleId: bundleLinks.bundleId,
      accountId: bundleLinks.accountId,
      pageToken: bundleLinks.pageToken,
      secret: bundleLinks.secret,
      createdAt: bundleLinks.createdAt,
      passCount: count(),
      voidedCount: sql<number>`sum(${passes.voided})`.as('voided_count'),
    })
    .from(bundleLinks)
    .innerJoin(passes, and(eq(passes.accountId, bundleLinks.accountId), eq(passes.bundleId, bundleLinks.bundleId)))
    .where(
      and(
        eq(bundleLinks.accountId, ctx.account.id),
        HAS_TEMPLATE,
        page.after === undefined ? undefined : gt(bundleLinks.bundleId, page.after),
      ),
    )
    .groupBy(bundleLinks.accountId, bundleLinks.bundleId)
    .orderBy(asc(bundleLinks.bundleId))
    .limit(page.limit);
  return rows.map(({ accountId, pageToken, secret, ...bundle }) => {
    const token = openBundleToken(ctx.env, { accountId, bundleId: bundle.bundleId, pageToken, secret });
    return { ...bundle, pageUrl: ctx.baseUrl + pathOfPage(token) };
  });
}
