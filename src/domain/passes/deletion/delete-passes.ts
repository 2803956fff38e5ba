import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { commit } from '../../commit.ts';
import type { AccountContext } from '../../context.ts';
import type { FollowUp } from '../../enqueue.ts';
import { recordPassEvents } from '../../events/record-event.ts';
import { deleteMessagesOf } from '../../messages/delete-messages.ts';
import { messages } from '../../messages/table.ts';
import { deleteFacts } from '../../pass-facts/append-facts.ts';
import { countUse } from '../../quotas/use.ts';
import { countPass } from '../../templates/count-passes.ts';
import { uncountActivePasses } from '../count-devices.ts';
import type { DefinedPass } from '../find-pass.ts';
import { isOfAccount, isOwnPass } from '../own-pass.ts';
import { passEventBody } from '../pass-event.ts';
import { unindexPasses } from '../search-index/index-pass.ts';
import { type Pass, passes, uniquePropertyValues } from '../table.ts';
import { type ErasureOptions, requestErasures } from './erasures.ts';
import { leaveTombstones } from './tombstones.ts';

interface DeletionOptions extends ErasureOptions {
  /** Whether a pass stays if it changed after it was read: the reason to delete it may be gone. */
  shouldBeUnchanged?: boolean;
  /** Builds the statement that records the selected passes as done, in the batch that deletes them. */
  note?: (isSelected: SQL) => BatchItem<'sqlite'>;
}

/**
 * Deletes passes of the account and their data, in one batch per template. `shownInEvent` returns a pass as its event
 * shows it. Delete files, and facts beyond a few, first. Skips passes that were deleted or moved in the meantime.
 */
export async function deletePasses(
  ctx: AccountContext,
  found: DefinedPass[],
  shownInEvent: (pass: Pass) => Pass,
  { note, shouldBeUnchanged = false, ...erasure }: DeletionOptions,
): Promise<void> {
  for (const [templateId, ofTemplate] of Map.groupBy(found, ({ pass }) => pass.templateId)) {
    const states = ofTemplate.map(({ pass, definition }) => ({ pass: shownInEvent(pass), definition }));
    const isTarget = and(eq(passes.templateId, templateId), shouldBeUnchanged ? isAsRead(ofTemplate) : undefined)!;
    const named = listOf(ofTemplate.map(({ pass }) => pass.id));
    const isSelected = sql`${passes.id} in ${named} and ${isTarget} and ${isOfAccount(ctx.account.id)}`;
    const ids = shouldBeUnchanged ? sql`(select ${passes.id} from ${passes} where ${isSelected})` : named;
    const fewer = sql`-(select count(*) from ${passes} where ${isSelected})`;
    const statements: BatchItem<'sqlite'>[] = [
      ...(note ? [note(isSelected)] : []),
      countPass(ctx, templateId, fewer, sql`true`),
      ...deletionStatements(ctx, states, { templateId, ids, isTarget, isSelected }, erasure),
    ];
    await commit(ctx, statements, googleEnds(ctx.account.id, states));
  }
}

/** Deletes a page of passes of a deleted template and erases their data elsewhere; otherwise as `deletePasses`. */
export async function deleteOfTemplate(ctx: AccountContext, templateId: string, found: DeletedPass[]): Promise<void> {
  const passIds = found.map(({ pass }) => pass.id);
  const ids = listOf(passIds);
  const isTarget = eq(passes.templateId, templateId);
  const isSelected = sql`${isTarget} and ${passes.id} in ${ids} and ${isOfAccount(ctx.account.id)}`;
  await commit(ctx, deletionStatements(ctx, found, { templateId, ids, isTarget, isSelected }), [
    { type: 'erase-passes', accountId: ctx.account.id, passIds },
    ...googleEnds(ctx.account.id, found),
  ]);
}

type DeletedPass = Pick<DefinedPass, 'pass' | 'definition'>;

/** Passes of a template in SQL: a list of identifiers, a condition on each, and both for the account. */
interface Selected {
  templateId: string;
  ids: SQL;
  isTarget: SQL;
  isSelected: SQL;
}

/** Builds the statements that delete passes with their data, counts and events. `states` are those of the events. */
function deletionStatements(
  ctx: AccountContext,
  states: DeletedPass[],
  { templateId, ids, isTarget, isSelected }: Selected,
  erasure: ErasureOptions = {},
): BatchItem<'sqlite'>[] {
  const events = states.map(({ pass, definition }) => {
    return { type: 'pass_deleted' as const, templateId, passId: pass.id, body: passEventBody(ctx, pass, definition) };
  });
  const isPresent = (passId: SQL) =>
    sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, passId)} and ${isTarget})`;
  return [
    ...recordPassEvents(ctx, events, isPresent),
    ctx.db
      .delete(uniquePropertyValues)
      .where(and(eq(uniquePropertyValues.templateId, templateId), sql`${uniquePropertyValues.passId} in ${ids}`)),
    deleteMessagesOf(ctx, ids, isPresent(sql`${messages.passId}`)),
    countUse(ctx, 'passes', sql`-(select count(*) from ${passes} where ${isSelected})`),
    ...uncountActivePasses(ctx, isSelected),
    leaveTombstones(ctx, isSelected),
    requestErasures(ctx, isSelected, erasure),
    ...unindexPasses(ctx, ids, isTarget),
    deleteFacts(ctx, sql`(select ${passes.key} from ${passes} where ${isSelected})`),
    ctx.db.delete(passes).where(isSelected),
  ];
}

const listOf = (ids: string[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`;

/** Returns the jobs that end the objects of passes at Google. */
export function googleEnds(accountId: string, deleted: { pass: Pick<Pass, 'id' | 'googlePublishedAt'> }[]): FollowUp[] {
  const offered = deleted.filter(({ pass }) => pass.googlePublishedAt !== null);
  return offered.map(({ pass }) => ({ type: 'end-google-object', accountId, passId: pass.id }));
}

/** Builds the condition for passes that still have the version that was read. */
function isAsRead(found: DefinedPass[]): SQL {
  const read = JSON.stringify(found.map(({ pass }) => [pass.id, pass.version, pass.revision]));
  return sql`(${passes.id}, ${passes.version}, ${passes.revision}) in
    (select value ->> 0, value ->> 1, value ->> 2 from json_each(${read}))`;
}
