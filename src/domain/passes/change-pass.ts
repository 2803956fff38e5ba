import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { retryUntilWritten } from '../attempts.ts';
import type { ActionName } from '../audit/actions.ts';
import { recordMemberAction } from '../audit/record-action.ts';
import { enqueueSoon } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import type { FollowUp } from '../enqueue.ts';
import { type DomainError, fieldIssue, invalid, notFound } from '../errors.ts';
import { findEvent, isRecorded, newEventId, recordEvent } from '../events/record-event.ts';
import { creationMessages, insertMessages, type NewMessage } from '../messages/request-messages.ts';
import { eventClaim } from '../pushes/event-claim.ts';
import { requestPushes } from '../pushes/request-pushes.ts';
import { countPass } from '../templates/count-passes.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { CHANGE_DISTANCE_MS, newRevision } from '../versions.ts';
import { newId, noteId, writeOnce } from '../write-once.ts';
import { checkCardTexts } from './card/card-texts.ts';
import { changesAppearance } from './card/changes-appearance.ts';
import { changeFact, noteChange } from './change-fact.ts';
import { changedColumns, type PassColumn } from './changed-columns.ts';
import { recountMovedPass } from './count-devices.ts';
import { type DefinedPass, getDefinedPass, isStored } from './find-pass.ts';
import { changedAt } from './modified-at.ts';
import { isOwnPass } from './own-pass.ts';
import { type PassEventType, passEventBody } from './pass-event.ts';
import { type Usage, usageColumns } from './record-usage.ts';
import { brokenRules, type Rule, refusal, rulesOf } from './rules.ts';
import { reindexPass } from './search-index/index-pass.ts';
import { type Pass, passes } from './table.ts';
import { claimUniqueValues, hasOtherClaims, releaseUniqueValues, writeClaims } from './unique-values.ts';
import type { PendingImages } from './values/pass-fields.ts';

/** New state of a pass. */
export interface NextState {
  pass: Pass;
  /** Template to which the pass moves; absent: it stays in its template and definition. */
  target?: {
    definition: StoredDefinition;
    version: number;
    /** Lowest stored value of the tier that moves it; absent: no tier does. */
    tierFrom?: number;
  };
  /** Whether the caller asked for a userProvidedId that is unique in the account. */
  isUniqueInAccount?: boolean;
  /** Images of the new state that are not imported yet. */
  images?: PendingImages;
}

/** Pass after a change. */
export interface ChangedPass extends DefinedPass {
  /** Emails and text messages of the change, stored with it. */
  messages: NewMessage[];
}

/**
 * Changes one pass. `next` computes the new state from `first`, and again after a concurrent change. One batch: row,
 * counts, unique values, messages, events, push requests and `followUps`. An equal state writes nothing. Two round
 * trips. Throws not found, `invalid` for a broken rule, and the errors of `next`.
 */
export async function changePass(
  ctx: AccountContext,
  name: string,
  next: (found: DefinedPass) => NextState | Promise<NextState>,
  { first, followUps }: { first?: DefinedPass; followUps?: (change: Change) => FollowUp[] } = {},
): Promise<ChangedPass> {
  let found = first ?? (await getDefinedPass(ctx, name));
  if (ctx.repeatable?.isRepeat && (await findEvent(ctx, changeId(ctx, found.pass)))) return { ...found, messages: [] };
  return retryUntilWritten('The pass', async (isFirst) => {
    if (!isFirst) found = await getDefinedPass(ctx, found.pass.id);
    const state = await next(found);
    const change = planChange(ctx, found, state);
    if (!change) {
      if (state.isUniqueInAccount) await checkName(ctx, found);
      return { ...found, messages: [] };
    }
    if (await write(ctx, change, followUps)) return { ...change.after, messages: change.messages };
    const refused = await refusalOf(ctx, change);
    if (refused) throw refused;
    return undefined;
  });
}

/** ID of the first event of a change. A request changes a pass only once. */
const changeId = (ctx: AccountContext, pass: Pick<Pass, 'id'>) => newId(ctx, `change ${pass.id}`);

/** Checks a unique userProvidedId that is requested without a change. Throws `invalid` if it is taken. */
async function checkName(ctx: AccountContext, { pass, definition }: DefinedPass): Promise<void> {
  const entries = { isEnteringTemplate: false, isEnteringBundle: false };
  const rules = rulesOf(ctx, { pass, definition, isUniqueInAccount: true, isClaimingName: true, ...entries });
  const broken = rules.length > 0 ? await brokenRules(ctx, rules) : [];
  if (broken.length > 0) throw invalid(broken.map(({ issue }) => issue));
}

/** Change of one pass, planned from the state that was read and not written yet. */
export interface Change {
  /** State that was read. The change applies only while the pass has its version. */
  before: Pass;
  after: DefinedPass;
  /** Columns that differ, and the bookkeeping columns that follow from the change. */
  columns: PassColumn[];
  /** ID of its first event if a repeat of the request must find it; absent: a new one each time. */
  eventId?: string;
  /** Events of the change; none if only the text for the holder is new. */
  events: PassEventType[];
  /** Whether to notify holders. */
  changesAppearance: boolean;
  /** Rules that must hold at the moment of the write. */
  rules: Rule[];
  /** Emails and text messages that it sends. */
  messages: NewMessage[];
  /** Images that it requests. */
  images?: PendingImages;
}

/**
 * Plans the change from the state that was read to the wanted one; undefined if they don't differ. Throws `invalid` for
 * texts that are too long.
 */
export function planChange(
  ctx: AccountContext,
  found: DefinedPass,
  { pass: wanted, target, isUniqueInAccount = false, images }: NextState,
): Change | undefined {
  const before = found.pass;
  const columns = changedColumns(before, wanted);
  if (columns.length === 0) return undefined;
  const seenAt = Math.max(before.modifiedAt, found.template.publishedAt);
  const modifiedAt = Math.max(Date.now(), seenAt + CHANGE_DISTANCE_MS);
  const pass: Pass = { ...wanted, version: before.version + 1, revision: newRevision(), modifiedAt };
  const { definition, version } = target ?? found;
  const after: DefinedPass = { pass, template: found.template, definition, version };
  checkCardTexts(ctx, after, found);
  const moves = pass.templateId !== before.templateId;
  const rules = rulesOf(ctx, {
    pass,
    definition,
    isUniqueInAccount,
    isEnteringTemplate: moves,
    tierFrom: target?.tierFrom,
    isEnteringBundle: pass.bundleId !== before.bundleId,
    isClaimingName: moves || isUniqueInAccount || pass.userProvidedId !== before.userProvidedId,
  });
  return {
    before,
    after,
    columns: [...columns, 'version', 'revision', 'modifiedAt'],
    eventId: ctx.repeatable && changeId(ctx, before),
    events: eventsOf(before, pass, columns),
    changesAppearance: changesAppearance(ctx, found, after),
    rules: columns.includes('placesUsedAt') ? [...rules, buildUsageRule(before)] : rules,
    messages: creationMessages(ctx, definition, pass, before),
    images,
  };
}

/**
 * Scans record usages without a new version of the pass. A change that clears usages must not clear one that it hasn't
 * read.
 */
function buildUsageRule({ id, accountId, lastScanId }: Pass): Rule {
  const holds = sql`exists (select 1 from ${passes} where ${isOwnPass(accountId, id)} and ${passes.lastScanId} is ${lastScanId})`;
  return { holds, issue: fieldIssue('placesUsedAt', 'the pass is being scanned; try again') };
}

/** These columns follow from a void and are part of its event. */
const VOIDING_COLUMNS: PassColumn[] = ['voided', 'redeemed'];
/** Columns that cause no event: the text to the holder, and usages, which have scan events. */
const COLUMNS_WITHOUT_EVENT: PassColumn[] = ['pushText', 'lastUsageAt'];
/** Returns the events of a change. A void or restore has its own event; any other change is an update. */
function eventsOf(before: Pass, after: Pass, columns: PassColumn[]): Change['events'] {
  const isVoiding = after.voided !== before.voided;
  const values = columns.filter(
    (column) => !COLUMNS_WITHOUT_EVENT.includes(column) && !(isVoiding && VOIDING_COLUMNS.includes(column)),
  );
  const voiding = after.voided ? ('pass_voided' as const) : ('pass_unvoided' as const);
  return [...(isVoiding ? [voiding] : []), ...(values.length > 0 ? (['pass_updated'] as const) : [])];
}

/** Returns the text that a change sends to the holder; null: none. */
export function pushedText({ columns, after }: Change): string | null {
  return columns.includes('pushText') ? after.pass.pushText : null;
}

/** Builds the condition that the pass still has the version that was read. */
function isAsRead({ before }: Change): SQL {
  return sql`exists (select 1 from ${passes} where ${isOwnPass(before.accountId, before.id)} and ${eq(passes.version, before.version)})`;
}

/** Builds the condition that the pass is unchanged and that the rules of its change hold. */
export function isChangeApplicable(change: Change): SQL {
  return sql.join([isAsRead(change), ...change.rules.map((rule) => rule.holds)], sql` and `);
}

/**
 * Builds the statements that write a change if `precondition` holds. The last one returns a row if it was written.
 * `alongside` adds the caller's statements under the same condition. `usage` is recorded with the change.
 */
export function changeStatements(
  ctx: AccountContext,
  change: Change,
  alongside: (applies: SQL) => BatchItem<'sqlite'>[] = () => [],
  precondition: SQL = isChangeApplicable(change),
  usage?: Usage,
): BatchItem<'sqlite'>[] {
  const { before, after, columns, events, messages } = change;
  const { pass, definition } = after;
  // The other statements depend on the first event: counts change the input of rules, and after the update the pass no
  // longer shows whose change it was. A change without an event changes no counts.
  const eventIds = [change.eventId ?? newEventId(ctx), ...events.slice(1).map(() => newEventId(ctx))];
  // If an earlier batch may have used the event's ID, its row doesn't prove that this batch wrote it.
  const isMine = sql`${isRecorded(ctx, eventIds[0]!)}${ctx.repeatable ? sql` and ${isAsRead(change)}` : sql``}`;
  const applies = events.length > 0 ? isMine : precondition;
  const [body, { templateId, id: passId }] = [passEventBody(ctx, pass, definition), pass];
  const [fact, isOwn] = [changeFact(ctx, change), isOwnPass(ctx.account.id, passId)];
  const index = reindexPass(ctx, before, pass, applies);
  return [
    ...events.map((type, i) =>
      recordEvent(ctx, { id: eventIds[i], type, templateId, passId, body, condition: i > 0 ? applies : precondition }),
    ),
    ...alongside(applies),
    ...insertMessages(ctx, messages, () => applies),
    ...(templateId === before.templateId
      ? []
      : [
          countPass(ctx, before.templateId, -1, applies),
          countPass(ctx, templateId, 1, applies),
          recountMovedPass(ctx, passId, before.templateId, templateId, applies),
        ]),
    ...(hasOtherClaims(before, pass)
      ? [releaseUniqueValues(ctx, passId, applies), ...claimUniqueValues(ctx, pass, applies)]
      : []),
    ...index.statements,
    ...(change.changesAppearance
      ? [
          requestPushes(ctx, {
            selected: sql`${isOwn} and ${applies}`,
            known: [{ passId, accountId: ctx.account.id }],
            claim: eventClaim(ctx, eventIds),
            text: pushedText(change),
            facts: fact,
          }),
        ]
      : []),
    noteChange(ctx, passId, { fact, isShown: change.changesAppearance, applies }),
    ctx.db
      .update(passes)
      .set({
        ...Object.fromEntries(columns.map((name) => [name, pass[name]])),
        ...index.columns,
        ...(usage && usageColumns(usage)),
        modifiedAt: changedAt(pass.modifiedAt, { id: templateId, accountId: ctx.account.id }),
      })
      .where(and(isOwnPass(ctx.account.id, passId), applies))
      .returning({ id: passes.id }),
  ];
}

/** Returns the audit log action of a change. */
function actionOf({ before, after, columns }: Change): ActionName {
  const { pass } = after;
  if (pass.voided !== before.voided) return pass.voided ? 'pass.void' : 'pass.unvoid';
  if (pass.templateId !== before.templateId) return 'pass.move';
  if (columns.includes('pageToken')) return 'pass.rotate_links';
  return columns.every((column) => PUSH_COLUMNS.includes(column)) ? 'pass.push' : 'pass.update';
}

const PUSH_COLUMNS: PassColumn[] = ['pushText', 'version', 'revision', 'modifiedAt'];

async function write(
  ctx: AccountContext,
  change: Change,
  followUps?: (change: Change) => FollowUp[],
): Promise<boolean> {
  let { eventId } = change;
  const isDone = async () => {
    if (!eventId || !((await findEvent(ctx, eventId)) || (await isStored(ctx, change.after.pass)))) return undefined;
    enqueueSoon(ctx, followUps?.(change) ?? []);
    return true;
  };
  return writeOnce(ctx, isDone, async () => {
    eventId = change.eventId ?? newEventId(ctx);
    const entry = (applies: SQL) => recordMemberAction(ctx, actionOf(change), change.before.id, applies);
    const statements = changeStatements(ctx, { ...change, eventId }, entry);
    const isWritten = (results: unknown[][]) => results.at(-1)!.length > 0;
    const next = (committed: unknown[][]) => (isWritten(committed) && followUps?.(change)) || [];
    const results = await writeClaims(ctx, statements, change.after, next);
    if (!results || !isWritten(results)) return false;
    noteId(ctx, `change ${change.before.id}`, eventId);
    return true;
  });
}

/** Returns why a change was not written; undefined if another change came first or the reason no longer holds. */
export async function refusalOf(ctx: AccountContext, { before, rules }: Change): Promise<DomainError | undefined> {
  const { version, lastScanId } = passes;
  const [row] = await ctx.db.select({ version, lastScanId }).from(passes).where(isOwnPass(ctx.account.id, before.id));
  if (!row) return notFound();
  return row.version === before.version && row.lastScanId === before.lastScanId ? refusal(ctx, rules) : undefined;
}
