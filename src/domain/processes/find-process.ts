import { and, desc, eq, lt } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ProcessState } from './process-state.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** The object of a process of the account; one round trip. Throws not found. */
export async function getProcessStub(ctx: AccountContext, id: string) {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [row] = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.id, id), eq(processes.accountId, ctx.account.id)));
  if (!row) throw notFound();
  return processStub(ctx, id);
}

/** A process as it stands now. Throws not found. */
export async function getProcess(ctx: AccountContext, id: string): Promise<ProcessState> {
  const process = await getProcessStub(ctx, id);
  return process.state();
}

/**
 * The states of a process as lines of JSON, the present one first and then each change; blank lines are signs of life.
 * It ends when the process does. Throws not found.
 */
export async function watchProcess(ctx: AccountContext, id: string): Promise<ReadableStream<Uint8Array>> {
  const process = await getProcessStub(ctx, id);
  return process.watch();
}

/** A process as lists show it: without its errors, and a few seconds old. */
export type ListedProcess = typeof processes.$inferSelect;

/**
 * The account's processes, newest first, `before` the one of that identifier. One round trip, and no rows but those
 * returned.
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
