import { and, asc, isNull, lte } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** A running process writes its row far more often. */
const SILENCE_MS = 60_000;
const WOKEN_MAX = 100;

/**
 * Cron task: wakes the objects of silent processes, for example after an alarm was lost with the machine. Waking a
 * running process is harmless.
 */
export async function wakeProcesses(ctx: Context): Promise<void> {
  const silent = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(and(isNull(processes.finishedAt), lte(processes.mirroredAt, Date.now() - SILENCE_MS)))
    .orderBy(asc(processes.mirroredAt))
    .limit(WOKEN_MAX);
  await Promise.all(silent.map(({ id }) => processStub(ctx, id).wake()));
}
