import { describeError, logLine } from '../../platform/log.ts';
import { type AccountContext, actingFor, type Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { JobOf } from '../jobs.ts';
import { moveRefusal } from '../moved.ts';
import { createPasses } from '../passes/bulk/bulk-create.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import { updatePasses } from '../passes/bulk/bulk-update.ts';
import { ledgerOf } from './ledger.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import type { PersonWork } from './person-work.ts';
import { createsOf, updatesOf } from './process-items.ts';
import {
  isPersonal,
  type Operation,
  type PersonOperation,
  type ProcessFacts,
  type ProcessItem,
} from './process-state.ts';
import { processStub } from './process-stub.ts';
import type { Range } from './range-store.ts';

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
