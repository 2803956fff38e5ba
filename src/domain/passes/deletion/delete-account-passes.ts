import { asc, eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { AccountDeletion } from '../../accounts/table.ts';
import { commit } from '../../commit.ts';
import type { Context, OwnerContext } from '../../context.ts';
import { deleteFacts, deleteManyFacts, hasMoreFacts } from '../../pass-facts/append-facts.ts';
import { PAGE_ROWS } from '../../purge.ts';
import { countUse } from '../../quotas/use.ts';
import { isOfAccount } from '../own-pass.ts';
import { unindexPasses } from '../search-index/index-pass.ts';
import { passes, uniquePropertyValues } from '../table.ts';
import type { RemoveFiles } from './delete-pass.ts';
import { leaveTombstones } from './tombstones.ts';

const PAGE_PASSES = 100;
/** Facts per pass that the batch may delete. Leaves room for a few that are added concurrently. */
const FACT_ROWS_MAX = PAGE_ROWS / PAGE_PASSES - 1;

/**
 * Deletes the next passes of a deleted account and returns how many. No events: no receiver is left. Ends objects at
 * Google and reduces the parent accounts' quota use. Files go first, because only the rows hold their names.
 */
export async function deleteAccountPasses(
  ctx: Context,
  { accountId, ancestorIds }: AccountDeletion,
  removeFiles: RemoveFiles,
): Promise<number> {
  const rows = await ctx.db
    .select({ id: passes.id, googlePublishedAt: passes.googlePublishedAt, hasMany: hasMoreFacts(FACT_ROWS_MAX) })
    .from(passes)
    .where(eq(passes.accountId, accountId))
    .orderBy(asc(passes.generatedId))
    .limit(PAGE_PASSES);
  if (rows.length === 0) return 0;
  await removeFiles(
    ctx,
    rows.map(({ id }) => id),
  );
  for (const { id, hasMany } of rows) if (hasMany) await deleteManyFacts(ctx, accountId, [id]);
  const ids = sql`(select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`;
  const isSelected = sql`${passes.id} in ${ids} and ${isOfAccount(accountId)}`;
  const number = (condition = sql`true`) => sql`-(select count(*) from ${passes} where ${isSelected} and ${condition})`;
  const [id, ...above] = ancestorIds.toReversed();
  const parent: OwnerContext = { ...ctx, account: { id: id ?? '', ancestorIds: above } };
  const statements: BatchItem<'sqlite'>[] = [
    ...(id === undefined
      ? []
      : [
          countUse(parent, 'passes', number()),
          countUse(parent, 'activePasses', number(sql`${passes.numberOfActive} > 0`)),
        ]),
    ctx.db.delete(uniquePropertyValues).where(sql`${uniquePropertyValues.passId} in ${ids}`),
    leaveTombstones(ctx, isSelected),
    ...unindexPasses({ ...ctx, account: { id: accountId, ancestorIds } }, ids),
    deleteFacts(ctx, sql`(select ${passes.key} from ${passes} where ${isSelected})`),
    ctx.db.delete(passes).where(isSelected),
  ];
  const offered = rows.filter(({ googlePublishedAt }) => googlePublishedAt !== null);
  await commit(
    ctx,
    statements,
    offered.map((row) => ({ type: 'end-google-object', accountId, passId: row.id })),
  );
  return rows.length;
}
