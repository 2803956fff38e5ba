import { and, eq, inArray } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/map-concurrent.ts';
import type { Context } from '../context.ts';
import { pruneLedger } from './ledger.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

const PAGE_PROCESSES = 20;
const PROCESSES_AT_A_TIME = 6;

/** Deletes the next processes of a deleted account, with all that their objects keep, and returns how many. */
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
