import { and, desc, eq, lt } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ProcessState } from './process-state.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** Returns the object of one of the account's processes. One round trip. Throws not found. */
export async function getProcessStub(ctx: AccountContext, id: string) {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [row] = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.id, id), eq(processes.accountId, ctx.account.id)));
  if (!row) throw notFound();
  return processStub(ctx, id);
}

/** Returns the current state of a process. Throws not found. */
export async function getProcess(ctx: AccountContext, id: string): Promise<ProcessState> {
  const process = await getProcessStub(ctx, id);
  return process.state();
}

/**
 * Returns the states of a process as lines of JSON, first the current one and then each change; blank lines are
 * heartbeats. The stream ends with the process. Throws not found.
 */
export async function watchProcess(ctx: AccountContext, id: string): Promise<ReadableStream<Uint8Array>> {
  const process = await getProcessStub(ctx, id);
  return process.watch();
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
