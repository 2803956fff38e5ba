import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../passes/table.ts';
import { type HeldPage, NO_RANGE, type PageClaim } from './claim-page.ts';
import { heldSource } from './held-passes.ts';
import type { FanOutKind } from './table.ts';

/** Passes of a page in SQL: `from` stands behind `from`, `updated` behind `update`, each with its condition. */
export interface PagePasses {
  from: SQL;
  where: SQL;
  updated: SQL;
  whereUpdated: SQL;
}

/** In place of a revision: an earlier release has left only such passes in the page. */
const EARLIER_RELEASE = 1;

/** The passes of a page by their keys. */
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
 * Passes of a page, or those of them that are at Google. While all are to do, they are the ones of its template between
 * its ends: an index has them in this order, and nobody unpacks keys. A pass that has come meanwhile is among them,
 * because it has to get the text as well.
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

/** SQL over `passes` of a page that holds for those which have got its text and have not changed since. */
export function hasGotText({ revision }: HeldPage): SQL {
  return revision === EARLIER_RELEASE ? sql`true` : sql`${passes.revision} = ${revision}`;
}
