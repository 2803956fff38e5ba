import type { SQLWrapper } from 'drizzle-orm';
import { eraseBundleTargets } from '../audit/erase-targets.ts';
import type { AccountContext } from '../context.ts';
import { deleteBundleLinks, hasNoOtherPasses } from '../passes/bundle-link.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { type OwnValues, selectIdentifying } from './erase-copies.ts';

/** Returns the identifiers of the passes' bundles that are a text of the person alone, or contain one. */
export async function findOwnBundles(found: DefinedPass[], texts: string[], own: OwnValues): Promise<Set<string>> {
  const bundles = new Set<string>();
  for (const { pass } of found) {
    const id = pass.bundleId;
    if (id === null || bundles.has(id)) continue;
    const folded = fold(id);
    const held = texts.filter((text) => fold(text) === folded);
    held.push(...selectIdentifying(texts).filter((text) => folded.includes(fold(text))));
    if ((await own.ownOf(held)).length > 0) bundles.add(id);
  }
  return bundles;
}

/**
 * Erases identifiers of bundles in rows other than passes. A bundle that also has other passes stays. One round trip,
 * none without bundles.
 */
export async function eraseBundles(ctx: AccountContext, bundles: Set<string>, passIds: string[]): Promise<void> {
  if (bundles.size === 0) return;
  const ids = [...bundles];
  const isLeft = (id: SQLWrapper) => hasNoOtherPasses(ctx, id, passIds);
  await ctx.db.batch([eraseBundleTargets(ctx, ids, isLeft), deleteBundleLinks(ctx, ids, isLeft)]);
}
