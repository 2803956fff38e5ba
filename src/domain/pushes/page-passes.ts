import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../passes/table.ts';
import type { HeldPage, PageClaim } from './claim-page.ts';
import { heldSource } from './held-passes.ts';
import { type FanOutKind, NO_RANGE } from './table.ts';

/** The passes of a page in SQL: `from` follows `from`, `updated` follows `update`, each with its condition. */
export interface PagePasses {
  from: SQL;
  where: SQL;
  updated: SQL;
  whereUpdated: SQL;
}

/** Stands for a revision: an earlier release left only passes in the page that have their text. */
const EARLIER_RELEASE = 1;

/** Returns the passes of a page by their keys. */
export function listedPasses({ accountId }: PageClaim, { keys }: HeldPage): PagePasses {
  const listed = sql`json_each(${JSON.stringify(keys)})`;
  const isOwn = sql`+${passes.accountId} = ${accountId}`;
  return {
    from: sql`${listed} as page_key cross join ${passes} on ${passes.key} = page_key.value`,
    where: isOwn,
    updated: sql`${passes}`,
    whereUpdated: sql`${passes.key} in (select value from ${listed}) and ${isOwn}`,
  };
}

/**
 * Returns the passes of a page, or those at Google. Until some are done, they are the passes of the template between
 * the page's ends, which an index lists in order without unpacking keys. A pass added since is included, because it
 * must get the text as well.
 */
export function passesOfPage(
  kind: FanOutKind,
  claim: PageClaim,
  page: HeldPage,
  templateId: string | null,
): PagePasses {
  if (templateId === null || page.last === NO_RANGE || page.revision === EARLIER_RELEASE)
    return listedPasses(claim, page);
  const { source, isHeld } = heldSource(kind, templateId);
  const isBetween = sql`${passes.key} between ${claim.page} and ${page.last}`;
  const where = sql`${isHeld} and ${isBetween} and +${passes.accountId} = ${claim.accountId}`;
  return { from: source, where, updated: source, whereUpdated: where };
}

/** Builds the condition on `passes` that a pass got the page's text and hasn't changed since. */
export function hasGotText({ revision }: HeldPage): SQL {
  return revision === EARLIER_RELEASE ? sql`true` : sql`${passes.revision} = ${revision}`;
}
