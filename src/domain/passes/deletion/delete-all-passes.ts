import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { actForAccount } from '../../accounts/find-account.ts';
import type { AccountDeletion } from '../../accounts/table.ts';
import { commit } from '../../commit.ts';
import type { AccountContext, Context, OwnerContext } from '../../context.ts';
import { enqueue, type FollowUp } from '../../enqueue.ts';
import { recordPassEvents } from '../../events/record-event.ts';
import type { JobOf } from '../../jobs.ts';
import { deleteMessagesOf } from '../../messages/delete-messages.ts';
import { messages } from '../../messages/table.ts';
import { deleteFacts, deleteManyFacts, hasMoreFacts } from '../../pass-facts/append-facts.ts';
import { PAGE_ROWS } from '../../purge.ts';
import { countUse } from '../../quotas/use.ts';
import { claimDeletion, endDeletion } from '../../templates/delete-template.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { removeActivePassCount, uncountActivePasses } from '../count-devices.ts';
import { isOfAccount, isOwnPass } from '../own-pass.ts';
import { passEventBody } from '../pass-event.ts';
import { unindexPasses } from '../search-index/index-pass.ts';
import { passes, uniquePropertyValues } from '../table.ts';
import type { RemoveFiles } from './delete-pass.ts';
import { requestErasures } from './erasures.ts';
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
    await removeFiles(
      ctx,
      rows.map(({ id }) => id),
    );
    for (const { id, accountId, hasMany } of rows) if (hasMany) await deleteManyFacts(ctx, accountId, [id]);
    await deletePage(accountCtx, templateId, rows, deletion.publishedVersion);
  }
  await enqueue(ctx, [{ type: 'delete-template-passes', accountId, templateId }]);
}

/**
 * Deletes a page in one batch: events, unique values, rows. Each statement skips passes that were deleted or moved in
 * the meantime.
 */
async function deletePage(
  ctx: AccountContext,
  templateId: string,
  rows: (typeof passes.$inferSelect)[],
  publishedVersion: number,
): Promise<void> {
  const events = await Promise.all(
    rows.map(async (pass) => {
      const version = Math.max(pass.templateVersion, publishedVersion);
      const body = passEventBody(ctx, pass, await getDefinition(ctx, templateId, version));
      return { type: 'pass_deleted', templateId, passId: pass.id, body } as const;
    }),
  );
  const ids = sql`(select value from json_each(${JSON.stringify(rows.map(({ id }) => id))}))`;
  const isPresent = (passId: SQL) =>
    sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, passId)} and ${eq(passes.templateId, templateId)})`;
  const isSelected = sql`${passes.templateId} = ${templateId} and ${passes.id} in ${ids} and ${isOfAccount(ctx.account.id)}`;
  const statements: BatchItem<'sqlite'>[] = [
    ...recordPassEvents(ctx, events, isPresent),
    ctx.db
      .delete(uniquePropertyValues)
      .where(and(eq(uniquePropertyValues.templateId, templateId), sql`${uniquePropertyValues.passId} in ${ids}`)),
    deleteMessagesOf(ctx, ids, isPresent(sql`${messages.passId}`)),
    countUse(ctx, 'passes', sql`-(select count(*) from ${passes} where ${isSelected})`),
    ...uncountActivePasses(ctx, isSelected),
    leaveTombstones(ctx, isSelected),
    requestErasures(ctx, isSelected),
    ...unindexPasses(ctx, ids, eq(passes.templateId, templateId)),
    deleteFacts(ctx, sql`(select ${passes.key} from ${passes} where ${isSelected})`),
    ctx.db.delete(passes).where(isSelected),
  ];
  const offered = rows.filter(({ googlePublishedAt }) => googlePublishedAt !== null);
  const accountId = ctx.account.id;
  await commit(ctx, statements, [
    { type: 'erase-passes', accountId, passIds: rows.map(({ id }) => id) },
    ...offered.map(({ id }): FollowUp => ({ type: 'end-google-object', accountId, passId: id })),
  ]);
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
