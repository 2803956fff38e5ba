import { firstUuidAt } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { type AccountContext, actingFor, type Context } from '../context.ts';
import { DomainError, invalid } from '../errors.ts';
import type { JobOf } from '../jobs.ts';
import { moveRefusal } from '../moved.ts';
import { createPasses } from '../passes/bulk/bulk-create.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import { updatePasses } from '../passes/bulk/bulk-update.ts';
import { checkQuery } from '../search/check-query.ts';
import { selectPersonPasses } from '../search/persons.ts';
import { selectPassIds } from '../search/search-passes.ts';
import { ledgerOf } from './ledger.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import { createsOf, updatesOf } from './process-items.ts';
import type { SelectedPage } from './process-row.ts';
import {
  isPersonal,
  type Operation,
  type PersonOperation,
  type ProcessFacts,
  type ProcessItem,
  type UniqueOperation,
} from './process-state.ts';
import { processStub } from './process-stub.ts';
import type { ClaimWork, PersonWork } from './process-work.ts';
import type { Range } from './range-store.ts';

const PAGE_PASSES = 1_000;
/** Maximum number of pages of one job; the next message continues. */
const PAGES_MAX = 20;

/**
 * Job: selects the passes of a process page by page and adds them to its object, which identifies a page by the pass
 * before it. Excludes passes created after the process. A repeated delivery finds the pages added, or nothing left to
 * select.
 */
export async function selectProcessPasses(
  ctx: Context,
  { processId }: JobOf<'select-process-passes'>,
  work: PersonWork,
  claimPage: ClaimWork,
): Promise<void> {
  const process = processStub(ctx, processId);
  const open = await process.selection();
  if (!open) return;
  const { account, baseUrl, operation, query, createdAt } = JSON.parse(open.facts) as ProcessFacts;
  const acting: AccountContext = { ...actingFor(ctx, account), baseUrl };
  try {
    const select = isPersonal(operation)
      ? personSelection(acting, processId, operation, work)
      : operation.kind === 'unique'
        ? claimSelection(acting, processId, operation, claimPage)
        : await querySelection(acting, query, createdAt);
    let { afterId } = open;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { ids, ...page } = await select(afterId);
      const added = await process.addSelected(afterId, ids, page);
      if (page.isLast || !added) return;
      afterId = page.next;
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return process.failSelection(error.message);
  }
  await process.continueSelection();
}

/** Selects the page that follows a place. Throws a `DomainError` if the selection can't continue. */
type Select = (afterId: string | null) => Promise<SelectedPage & { ids: string[]; next: string | null }>;

async function querySelection(ctx: AccountContext, query: ProcessFacts['query'], createdAt: number): Promise<Select> {
  const resolved = await checkQuery(ctx, query);
  const end = firstUuidAt(createdAt + 1);
  return async (afterId) => {
    const found = await selectPassIds(ctx, resolved, { afterId: afterId ?? undefined, limit: PAGE_PASSES });
    const ids = found.filter((id) => id < end);
    return { ids, isLast: ids.length < PAGE_PASSES, next: ids.at(-1) ?? afterId };
  };
}

/**
 * Selects the passes of a person; the first page includes the work that belongs to no pass. Passes created since are
 * included: the clock that dated a pass may be ahead of the clock that dated the process.
 */
function personSelection(ctx: AccountContext, processId: string, operation: PersonOperation, work: PersonWork): Select {
  return async (afterId) => {
    const afterKey = afterId === null ? null : Number(afterId);
    const { ids, isLast, key } = await selectPersonPasses(ctx, operation.match, afterKey);
    const isKnown = ids.length > 0 || !isLast;
    const outcome = afterId === null ? await work.begin(ctx, operation, { processId, isKnown }) : undefined;
    return { ids, isLast, next: key === null ? null : String(key), outcome };
  };
}

/** Has values of a template's passes claimed page by page. The claims themselves know where the next page begins. */
function claimSelection(
  ctx: AccountContext,
  processId: string,
  operation: UniqueOperation,
  claimPage: ClaimWork,
): Select {
  return async (afterId) => {
    const progress = await claimPage(ctx, processId, operation);
    if ('errors' in progress) throw invalid(JSON.stringify(progress.errors));
    const { claimed: done, after, isLast } = progress;
    return { ids: [], isLast, next: after || afterId, done };
  };
}

/**
 * Job: applies a range of a process and reports to its object. Skips a range that is done or claimed by another; gives
 * back one that it can't apply, and pauses one of a suspended account. Two round trips to D1 for a range of ordinary
 * updates.
 */
export async function applyProcessRange(
  ctx: Context,
  { processId, first, last }: JobOf<'apply-process-range'>,
  work: PersonWork,
): Promise<void> {
  const process = processStub(ctx, processId);
  const range: Range = { first, last };
  const claimed = await process.claim(range);
  if (!claimed) return;
  const facts = JSON.parse(claimed.facts) as ProcessFacts;
  // The account is a copy from the start, and may have subscribed to events since.
  const account = { ...facts.account, hasWebhooks: true };
  const acting: AccountContext = { ...actingFor(ctx, account), baseUrl: facts.baseUrl, actor: facts.starter?.actor };
  let applied: { failed: FailedItem[]; outcome?: Outcome };
  try {
    const items = JSON.parse(claimed.items) as ProcessItem[];
    const { operation } = facts;
    const note = async (noted: NotedOutcome) => process.note(range, claimed.claim, JSON.stringify(noted));
    applied = isPersonal(operation)
      ? await work.apply(acting, operation, { processId, range, claim: claimed.claim, items, note })
      : { failed: await apply(acting, processId, operation, range, items) };
  } catch (error) {
    if (shouldWait(error)) return process.pause(range, claimed.claim);
    logLine('error', { event: 'process-range', process: processId, ...range, error: describeError(error) });
    await process.giveBack(range, claimed.claim);
    return;
  }
  await process.report(range, claimed.claim, applied.failed, applied.outcome);
}

/** Whether the range must wait: the account is suspended, or moves to another database. */
function shouldWait(error: unknown): boolean {
  return moveRefusal(error) !== undefined || (error instanceof DomainError && error.kind === 'suspended');
}

/** Applies items and returns the failed ones. Throws to have the range retried. */
async function apply(
  ctx: AccountContext,
  processId: string,
  operation: Exclude<Operation, PersonOperation>,
  range: Range,
  items: ProcessItem[],
): Promise<FailedItem[]> {
  const ledger = ledgerOf(ctx, processId, range);
  try {
    // Its selection is its work.
    if (operation.kind === 'unique') return [];
    if (operation.kind === 'create') return await createPasses(ctx, operation.templateId, createsOf(items), ledger);
    return await updatePasses(ctx, updatesOf(operation, items), ledger);
  } catch (error) {
    if (shouldWait(error)) throw error;
    // All items fail together: the template of a create is gone.
    if (error instanceof DomainError) return items.map(({ seq }) => ({ seq, issues: error.issues }));
    throw error;
  }
}
