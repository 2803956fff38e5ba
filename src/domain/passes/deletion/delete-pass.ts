import { eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { recordMemberAction } from '../../audit/record-action.ts';
import { commit } from '../../commit.ts';
import type { AccountContext, Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { findEvent, recordEvent } from '../../events/record-event.ts';
import type { Job } from '../../jobs.ts';
import { deleteMessagesOf } from '../../messages/delete-messages.ts';
import { deleteFacts, deleteManyFacts, hasMoreFacts } from '../../pass-facts/append-facts.ts';
import { PAGE_ROWS } from '../../purge.ts';
import { countUse } from '../../quotas/use.ts';
import { countPass } from '../../templates/count-passes.ts';
import { newId, writeOnce } from '../../write-once.ts';
import { uncountActivePasses } from '../count-devices.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from '../find-pass.ts';
import { isOwnPass } from '../own-pass.ts';
import { passEventBody } from '../pass-event.ts';
import { unindexPasses } from '../search-index/index-pass.ts';
import { passes } from '../table.ts';
import { releaseUniqueValues } from '../unique-values.ts';
import { requestErasures } from './erasures.ts';
import { leaveTombstones } from './tombstones.ts';

/** Facts that the batch may delete. Leaves room for a few that are added concurrently. */
const FACT_ROWS_MAX = PAGE_ROWS - 100;

/** Removes the stored files of passes. */
export type RemoveFiles = (ctx: Context, passIds: string[]) => Promise<void>;

/**
 * Deletes a pass: row, counts, unique values and event in one batch. Registrations stay until devices know. Cached
 * files go first, because only the row holds their names. The queue removes later files and erases copies in other
 * rows. One of several concurrent calls deletes. Throws not found.
 */
export async function deletePass(ctx: AccountContext, name: string, removeFiles: RemoveFiles): Promise<void> {
  const id = newId(ctx, `delete pass ${name}`);
  await writeOnce(
    ctx,
    () => findEvent(ctx, id),
    async () => {
      while (!(await deleteFound(ctx, await findPassToDelete(ctx, name), id, removeFiles)));
      return id;
    },
  );
}

/** Returns the pass. If it has more facts than one statement may delete, they are deleted here. Throws not found. */
async function findPassToDelete(ctx: AccountContext, name: string): Promise<DefinedPass> {
  const hasMany = hasMoreFacts(FACT_ROWS_MAX);
  const [row] = await definedPassQuery(ctx, name, { hasMany });
  const found = toDefinedPass(row);
  if (row?.hasMany) await deleteManyFacts(ctx, ctx.account.id, [found.pass.id]);
  return found;
}

/** Returns whether the pass was deleted; false if it moved after it was found. */
async function deleteFound(
  ctx: AccountContext,
  { pass, definition }: DefinedPass,
  eventId: string,
  removeFiles: RemoveFiles,
): Promise<boolean> {
  // Includes the template: a pass that moves in the meantime must not be subtracted from the wrong count.
  const isSelected = sql`${isOwnPass(ctx.account.id, pass.id)} and ${eq(passes.templateId, pass.templateId)}`;
  const isPresent = sql`exists (select 1 from ${passes} where ${isSelected})`;
  await removeFiles(ctx, [pass.id]);
  const statements: BatchItem<'sqlite'>[] = [
    ...recordMemberAction(ctx, 'pass.delete', pass.id, isPresent),
    recordEvent(ctx, {
      id: eventId,
      type: 'pass_deleted',
      templateId: pass.templateId,
      passId: pass.id,
      body: passEventBody(ctx, pass, definition),
      condition: isPresent,
    }),
    countPass(ctx, pass.templateId, -1, isPresent),
    countUse(ctx, 'passes', sql`-(${isPresent})`),
    releaseUniqueValues(ctx, pass.id, isPresent),
    deleteMessagesOf(ctx, sql`(${pass.id})`, isPresent),
    ...uncountActivePasses(ctx, isSelected),
    leaveTombstones(ctx, isSelected),
    requestErasures(ctx, isSelected),
    ...unindexPasses(ctx, sql`(${pass.id})`, isPresent),
    deleteFacts(ctx, sql`(select ${passes.key} from ${passes} where ${isSelected})`),
    ctx.db.delete(passes).where(isSelected).returning({ id: passes.id }),
  ];
  const named = { accountId: ctx.account.id, passId: pass.id };
  const jobs: Job[] = [{ type: 'delete-pass-files', ...named }];
  if (pass.googlePublishedAt !== null) jobs.push({ type: 'end-google-object', ...named });
  const results = await commit(ctx, statements, (committed) => (committed.at(-1).length > 0 ? jobs : []));
  if ((results.at(-1) as { id: string }[]).length > 0) return true;
  const [moved] = await ctx.db.select({ id: passes.id }).from(passes).where(isOwnPass(ctx.account.id, pass.id));
  if (!moved) throw notFound();
  return false;
}
