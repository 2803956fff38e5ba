import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { shardOf } from '../../platform/ids.ts';
import { tokenIn } from '../../platform/shard-tokens.ts';
import type { AccountContext } from '../context.ts';
import { isBeyond } from '../template-restriction.ts';
import { bundleCopy, keepBundleToken } from './page/links.ts';
import { type BundleLink, bundleLinks, type Pass, passes } from './table.ts';

/**
 * Builds the condition that a bundle has no pass that a restricted key can't see; undefined for an unrestricted key. A
 * bundle with such a pass is unknown to the key.
 */
export function hasOnlyPermittedPasses(ctx: AccountContext, bundleId: string): SQL | undefined {
  const other = alias(passes, 'other');
  const isBeyondKey = isBeyond(ctx, other.templateId);
  if (!isBeyondKey) return undefined;
  const members = and(eq(other.accountId, ctx.account.id), eq(other.bundleId, bundleId), isBeyondKey);
  return sql`not exists (select 1 from ${passes} as other where ${members})`;
}

/**
 * Builds the statement that creates or finds the link of a bundle; none without a bundle. It may run before the passes
 * join, because a link without passes opens nothing. Concurrent requests all get the link of the first.
 */
export function claimBundleLink(ctx: AccountContext, bundleId: string | null | undefined) {
  if (!bundleId) return [];
  const [accountId, token] = [ctx.account.id, tokenIn(shardOf(ctx.account.id))];
  return [
    ctx.db
      .insert(bundleLinks)
      .values({
        accountId,
        bundleId,
        ...keepBundleToken(ctx.env, { accountId, bundleId, token }),
        createdAt: Date.now(),
      })
      .onConflictDoUpdate({
        target: [bundleLinks.accountId, bundleLinks.bundleId],
        // Makes the statement return the existing row, and keeps the cron from deleting it before the passes join.
        set: { emptySinceAt: null },
      })
      .returning(),
  ];
}

/**
 * Returns the pass with the link of its current bundle. `claimed` is the result of `claimBundleLink`, `before` the
 * previous state. A pass that stays in its bundle keeps its copy of the link.
 */
export function linkToBundle(
  ctx: AccountContext,
  pass: Pass,
  claimed: BundleLink[] | undefined,
  before?: Pick<Pass, 'bundleId' | 'bundlePageToken'>,
): Pass {
  if (pass.bundleId === null) return { ...pass, bundlePageToken: null };
  const [link] = claimed ?? [];
  const stays = before !== undefined && before.bundleId === pass.bundleId && before.bundlePageToken !== null;
  return { ...pass, bundlePageToken: stays || !link ? pass.bundlePageToken : bundleCopy(ctx.env, link) };
}

/** Builds the condition that a bundle of the account has no passes besides these. */
export function hasNoOtherPasses(ctx: AccountContext, bundleId: SQLWrapper, passIds: string[]): SQL {
  return sql`not exists (select 1 from ${passes} where ${passes.accountId} = ${ctx.account.id}
    and ${passes.bundleId} = ${bundleId} and ${passes.id} not in (select value from json_each(${JSON.stringify(passIds)})))`;
}

/** Builds the statement that deletes links of bundles that meet the condition. A later pass gets a new link. */
export function deleteBundleLinks(ctx: AccountContext, bundleIds: string[], condition: (bundleId: SQLWrapper) => SQL) {
  const { accountId, bundleId } = bundleLinks;
  const isTarget = and(eq(accountId, ctx.account.id), inArray(bundleId, bundleIds));
  return ctx.db.delete(bundleLinks).where(and(isTarget, condition(bundleId)));
}
