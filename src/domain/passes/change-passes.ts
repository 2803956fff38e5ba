import { and, inArray, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { ActionName } from '../audit/actions.ts';
import { findEntry, newEntryId, recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { recordPassEvents } from '../events/record-event.ts';
import { appendFacts, listedFacts, type PassFact } from '../pass-facts/append-facts.ts';
import { IS_HELD, requestPushes } from '../pushes/request-pushes.ts';
import { CHANGE_DISTANCE_MS, newRevision } from '../versions.ts';
import { writeOnce } from '../write-once.ts';
import { changesAppearance } from './card/changes-appearance.ts';
import { changeFact } from './change-fact.ts';
import type { DefinedPass } from './find-pass.ts';
import { changedAt } from './modified-at.ts';
import { isOfAccount, valueOfPass } from './own-pass.ts';
import { type PassEventType, passEventBody } from './pass-event.ts';
import { indexPasses } from './search-index/index-pass.ts';
import { changedFoldedValues, documentOf } from './search-index/pass-document.ts';
import { type Pass, passes } from './table.ts';

/** Same change for several passes. */
export interface SharedChange {
  /** Passes as they were read. */
  found: DefinedPass[];
  /** New values for each of them. */
  values: Partial<Pick<Pass, 'bundleId' | 'bundlePageToken' | 'voided' | 'redeemed'>>;
  event: PassEventType;
  /** Action and bundle of the entry in the audit log. */
  action: ActionName;
  bundleId: string;
  /** Rule that must hold at the moment of the write. */
  holds?: SQL;
  /** Further statements of the batch, after the change. */
  behind?: BatchItem<'sqlite'>[];
}

/**
 * Changes several passes of the account in one batch, all or none: rows, one event per pass, and push requests. Returns
 * false if a pass changed concurrently or the rule doesn't hold; the caller then reads and decides again. One round
 * trip; meant for as many passes as a bundle has.
 */
export async function changePasses(ctx: AccountContext, change: SharedChange): Promise<boolean> {
  const { found, values, event, action, bundleId, holds = sql`true`, behind = [] } = change;
  if (found.length === 0) return true;
  const read = JSON.stringify(found.map(({ pass }) => [pass.id, pass.version]));
  const unchanged = sql`(select count(*) from json_each(${read}) as read
    join ${passes} on ${passes.id} = read.value ->> 0 and ${passes.version} = read.value ->> 1
      and ${isOfAccount(ctx.account.id)}) = ${found.length}`;
  const applies = sql`${unchanged} and ${holds}`;
  // Events come before the update, under the same condition: after it, the rows no longer show whose change it was.
  const events = recordPassEvents(
    ctx,
    found.map(({ pass, definition }) => ({
      type: event,
      templateId: pass.templateId,
      passId: pass.id,
      body: passEventBody(ctx, { ...pass, ...values }, definition),
    })),
    () => applies,
  );
  const states = found.map(({ pass: before }) => {
    const pass = { ...before, ...values };
    return { pass, version: before.version, document: documentOf(pass) };
  });
  const indexed = indexPasses(ctx, states, applies);
  const ids = found.map(({ pass }) => pass.id);
  const seen = found.filter((one) => changesAppearance(ctx, one, { ...one, pass: { ...one.pass, ...values } }));
  const seenIds = seen.map(({ pass }) => pass.id);
  const facts = sharedFacts(ctx, change, new Set(seenIds));
  const pushes =
    seen.length > 0
      ? [
          requestPushes(ctx, {
            selected: sql`${inArray(passes.id, seenIds)} and ${isOfAccount(ctx.account.id)} and ${applies}`,
            known: seenIds.map((passId) => ({ passId, accountId: ctx.account.id })),
            facts: valueOfPass(facts.map(({ passId, fact }) => [passId, fact])),
          }),
        ]
      : [];
  const hasPendingPush = sql`exists (select 1 from ${passes} where ${passes.id} = listed.value ->> 0
    and ${isOfAccount(ctx.account.id)} and ${inArray(passes.id, seenIds)} and ${IS_HELD})`;
  const noted = appendFacts(ctx, ctx.account.id, sql`${listedFacts(facts)} where ${applies} and not ${hasPendingPush}`);
  const changes = [{ field: 'passes', new: found.length }];
  // A new ID for each call: the caller retries after a concurrent change.
  const entryId = newEntryId(ctx);
  const entry = recordAction(ctx, { id: entryId, action, target: { type: 'bundle', id: bundleId }, changes }, applies);
  const modifiedAt = changedAt(sql`max(${Date.now()}, ${passes.modifiedAt} + ${CHANGE_DISTANCE_MS})`);
  const foldedValues = valueOfPass(states.map(({ pass, document }) => [pass.id, changedFoldedValues(document)]));
  const update = ctx.db
    .update(passes)
    .set({ ...values, foldedValues, version: sql`${passes.version} + 1`, revision: newRevision(), modifiedAt })
    .where(and(inArray(passes.id, ids), isOfAccount(ctx.account.id), applies))
    .returning({ id: passes.id });
  const statements: BatchItem<'sqlite'>[] = [entry, ...events, ...indexed, ...pushes, noted, update, ...behind];
  const isDone = async () => ((await findEntry(ctx, entryId)) === undefined ? undefined : true);
  return writeOnce(ctx, isDone, async () => {
    const results = await commit(ctx, statements);
    return (results.at(-1 - behind.length) as { id: string }[]).length > 0;
  });
}

/** Encodes the change as the timelines of the passes show it. */
function sharedFacts(ctx: AccountContext, { found, values }: SharedChange, shown: Set<string>): PassFact[] {
  const columns = Object.keys(values) as (keyof Pass)[];
  return found.map(({ pass: before, definition }) => {
    const after = { pass: { ...before, ...values, version: before.version + 1 }, definition };
    const isAppearanceChanged = shown.has(before.id);
    return {
      passId: before.id,
      fact: changeFact(ctx, { before, after, columns, changesAppearance: isAppearanceChanged }),
    };
  });
}
