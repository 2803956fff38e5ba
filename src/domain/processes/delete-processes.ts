import { and, asc, eq, inArray, lt } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/concurrency.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { runInPages } from '../purge.ts';
import { pruneLedger } from './ledger.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** Days after its end for which a process can be read and its failed items retried. */
export const PROCESS_RETENTION_DAYS = 90;

const DAY_MS = 24 * 60 * 60_000;
const PAGE_PROCESSES = 20;
const PROCESSES_AT_A_TIME = 6;
/** Maximum number of pages of one cron run: each process is a call to its object. */
const RUN_PAGES = 5;

/** Deletes the next processes of a deleted account with the state of their objects, and returns their number. */
export async function deleteProcesses(ctx: Context, accountId: string): Promise<number> {
  const page = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(eq(processes.accountId, accountId))
    .limit(PAGE_PROCESSES);
  if (page.length === 0) return 0;
  const ids = page.map(({ id }) => id);
  await mapConcurrent(ids, PROCESSES_AT_A_TIME, (id) => processStub(ctx, id).destroy());
  for (const id of ids) await pruneLedger(ctx.db, id);
  await ctx.db.delete(processes).where(and(eq(processes.accountId, accountId), inArray(processes.id, ids)));
  return page.length;
}

/**
 * Cron task: deletes processes that ended before the retention period, with the state of their objects. Can run
 * concurrently.
 */
export async function purgeProcesses(ctx: Context, now = Date.now()): Promise<void> {
  const before = now - PROCESS_RETENTION_DAYS * DAY_MS;
  await runInPages(() => purgePage(ctx, before), { enough: PAGE_PROCESSES, pagesMax: RUN_PAGES });
}

/** Returns the number of deleted processes. */
async function purgePage(ctx: Context, before: number): Promise<number> {
  const isOld = lt(processes.finishedAt, before);
  const page = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(isOld)
    .orderBy(asc(processes.finishedAt))
    .limit(PAGE_PROCESSES);
  const expired = await mapConcurrent(page, PROCESSES_AT_A_TIME, ({ id }) => expire(ctx, id, before));
  const ids = expired.flat();
  if (ids.length === 0) return 0;
  for (const id of ids) await pruneLedger(ctx.db, id);
  await ctx.db.delete(processes).where(and(inArray(processes.id, ids), isOld));
  return ids.length;
}

/** Returns the process if its object has deleted its state. An object that fails doesn't block the others. */
async function expire(ctx: Context, id: string, before: number): Promise<string[]> {
  try {
    return (await processStub(ctx, id).expire(before)) ? [id] : [];
  } catch (error) {
    logLine('error', { event: 'process', process: id, step: 'expire', error: describeError(error) });
    return [];
  }
}
