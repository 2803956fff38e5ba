import { and, desc, eq, lt } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { retryUntilSettled } from '../../platform/transient-error.ts';
import { ALWAYS, newEntryId, recordAction } from '../audit/record-action.ts';
import type { AccountContext, Owner } from '../context.ts';
import { DomainError, notFound, tooManyRequests } from '../errors.ts';
import { newId } from '../write-once.ts';
import { type CanceledProcess, isPersonal, type ProcessState } from './process-state.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';
import { WATCHERS_MAX } from './watchers.ts';

/** When a caller may try again to follow a process that too many follow. */
const RETRY_SECONDS = 10;

/** What a caller who cancels or retries a process lacks. */
interface ProcessRights {
  /** Why the caller may not manage the data of persons, as the message of the refusal; absent: it may. */
  personsRefusal?: string;
}

/**
 * Returns the object of one of the account's processes. One round trip. Throws not found, and forbidden for a process
 * about a person if the caller may not manage persons.
 */
async function getProcessStub(ctx: AccountContext, id: string, { personsRefusal }: ProcessRights = {}) {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [row] = await ctx.db
    .select({ kind: processes.kind })
    .from(processes)
    .where(and(eq(processes.id, id), eq(processes.accountId, ctx.account.id)));
  if (!row) throw notFound();
  if (personsRefusal !== undefined && isPersonal(row)) throw new DomainError('forbidden', personsRefusal);
  return processStub(ctx, id);
}

/** Returns the current state of a process. Throws not found. */
export async function getProcess(ctx: AccountContext, id: string): Promise<ProcessState> {
  const process = await getProcessStub(ctx, id);
  return process.state();
}

/**
 * Returns the states of a process as lines of JSON, first the current one and then each change; blank lines are
 * heartbeats. The stream ends with the process. Throws not found, and `too_many_requests` with `WATCHERS_MAX` streams.
 */
export async function watchProcess(ctx: AccountContext, id: string): Promise<ReadableStream<Uint8Array>> {
  const process = await getProcessStub(ctx, id);
  const lines = await process.watch();
  if (lines) return lines;
  throw tooManyRequests(`at most ${WATCHERS_MAX} connections can follow a process at a time`, RETRY_SECONDS);
}

/** A process in a list: without its errors, and up to a few seconds old. */
export type ListedProcess = typeof processes.$inferSelect;

/**
 * Returns the account's processes, newest first, starting after the process `before`. One round trip that reads only
 * the returned rows.
 */
export function listProcesses(owner: Owner, page: { before?: string; limit: number }) {
  const before = page.before === undefined ? undefined : lt(processes.id, page.before);
  return owner.db
    .select()
    .from(processes)
    .where(and(eq(processes.accountId, owner.account.id), before))
    .orderBy(desc(processes.id))
    .limit(page.limit);
}

/**
 * Retries the failed items of a process with the same values, and returns their number; a repeated request returns the
 * number of its first run. Throws not found and forbidden.
 */
export async function retryProcess(ctx: AccountContext, id: string, rights?: ProcessRights): Promise<number> {
  const process = await getProcessStub(ctx, id, rights);
  const retryId = newId(ctx, `retry process ${id}`);
  const count = await retryUntilSettled(async () => process.retry(retryId));
  const changes = [{ field: 'items', new: count }];
  const action = { id: retryId, action: 'process.retry', target: { type: 'process', id }, changes } as const;
  await retryUntilSettled(async () => recordAction(ctx, action, ALWAYS));
  return count;
}

/**
 * Cancels a process: passes that no consumer has claimed stay as they are and leave `total`; ranges being applied are
 * finished. A process that has ended stays as it is. Throws not found and forbidden.
 */
export async function cancelProcess(ctx: AccountContext, id: string, rights?: ProcessRights): Promise<CanceledProcess> {
  const process = await getProcessStub(ctx, id, rights);
  const canceled = await process.cancel();
  const target = { type: 'process', id };
  const changes = [{ field: 'items', new: canceled.stopped }];
  const action = { id: newEntryId(ctx), action: 'process.cancel', target, changes } as const;
  // A caller who gets an error cancels again, which only adds this entry.
  await retryUntilSettled(async () => recordAction(ctx, action, ALWAYS));
  return canceled;
}
