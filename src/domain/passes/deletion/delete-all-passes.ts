import { asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { actForAccount } from '../../accounts/find-account.ts';
import type { AccountDeletion } from '../../accounts/table.ts';
import { commit } from '../../commit.ts';
import type { Context, OwnerContext } from '../../context.ts';
import { enqueue } from '../../enqueue.ts';
import type { JobOf } from '../../jobs.ts';
import { deleteFacts, deleteManyFacts, hasMoreFacts } from '../../pass-facts/append-facts.ts';
import { PAGE_ROWS } from '../../purge.ts';
import { countUse } from '../../quotas/use.ts';
import { claimDeletion, endDeletion } from '../../templates/delete-template.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { removeActivePassCount } from '../count-devices.ts';
import { isOfAccount } from '../own-pass.ts';
import { unindexPasses } from '../search-index/index-pass.ts';
import { passes, uniquePropertyValues } from '../table.ts';
import type { RemoveFiles } from './delete-pass.ts';
import { deleteOfTemplate, googleEnds } from './delete-passes.ts';
import { leaveTombstones } from './tombstones.ts';

const PAGE_PASSES = 100;
/** Facts per pass that the batch may delete. Leaves room for a few that are added concurrently. */
const FACT_ROWS_MAX = PAGE_ROWS / PAGE_PASSES - 1;
/** Pages per job. Another job continues, so that none runs long. */
const PAGES_MAX = 10;

/**
 * Job: deletes the passes of a deleted template in pages. Files go first, because only the rows hold their names. A
 * retry or second delivery continues with the rest. Each pass gets exactly one event.
 */
export async function deleteTemplatePasses(
  ctx: Context,
  { accountId, templateId }: Omit<JobOf<'delete-template-passes'>, 'type'>,
  removeFiles: RemoveFiles,
): Promise<void> {
  const deletion = await claimDeletion(ctx, accountId, templateId);
  if (!deletion) return;
  const accountCtx = await actForAccount(ctx, accountId);
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await ctx.db
      .select({ ...getTableColumns(passes), hasMany: hasMoreFacts(FACT_ROWS_MAX) })
      .from(passes)
      .where(sql`${passes.templateId} = ${templateId} and ${isOfAccount(accountId)}`)
      .orderBy(asc(passes.id))
      .limit(PAGE_PASSES);
    if (rows.length === 0) return endDeletion(accountCtx, templateId, removeActivePassCount(accountCtx, templateId));
    const ids = rows.map(({ id }) => id);
    await removeFiles(ctx, ids);
    for (const { id, accountId, hasMany } of rows) if (hasMany) await deleteManyFacts(ctx, accountId, [id]);
    const defined = rows.map(async (pass) => {
      const version = Math.max(pass.templateVersion, deletion.publishedVersion);
      return { pass, definition: await getDefinition(ctx, templateId, version) };
    });
    await deleteOfTemplate(accountCtx, templateId, await Promise.all(defined));
  }
  await enqueue(ctx, [{ type: 'delete-template-passes', accountId, templateId }]);
}

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
  const passIds = rows.map(({ id }) => id);
  await removeFiles(ctx, passIds);
  for (const { id, hasMany } of rows) if (hasMany) await deleteManyFacts(ctx, accountId, [id]);
  const ids = sql`(select value from json_each(${JSON.stringify(passIds)}))`;
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
  const deleted = rows.map((pass) => ({ pass }));
  await commit(ctx, statements, googleEnds(accountId, deleted));
  return rows.length;
}
