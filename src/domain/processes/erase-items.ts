import { and, asc, eq, gt, isNull, lt, or } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import { mapConcurrent } from '../../platform/map-concurrent.ts';
import type { Context } from '../context.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

const PAGE_PROCESSES = 100;
const PROCESSES_AT_A_TIME = 6;

/**
 * Removes the failed items that one of the names names from the processes of an account that began before a time.
 * Returns whether one of them still works, so that others may fail.
 */
export async function eraseItems(
  ctx: Context,
  accountId: string,
  names: string[],
  beganBefore: number,
): Promise<boolean> {
  let isOpen = false;
  for (let after = ''; ; ) {
    const page = await ctx.db
      .select({ id: processes.id })
      .from(processes)
      .where(
        and(
          eq(processes.accountId, accountId),
          gt(processes.id, after),
          lt(processes.id, firstUuidAt(beganBefore)),
          or(isNull(processes.finishedAt), gt(processes.failed, 0)),
        ),
      )
      .orderBy(asc(processes.id))
      .limit(PAGE_PROCESSES);
    const open = await mapConcurrent(page, PROCESSES_AT_A_TIME, ({ id }) => processStub(ctx, id).erase(names));
    isOpen ||= open.some((one) => one);
    if (page.length < PAGE_PROCESSES) return isOpen;
    after = page.at(-1)!.id;
  }
}
