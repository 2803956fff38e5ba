import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, or } from 'drizzle-orm';
import { mapConcurrent } from '../../platform/concurrency.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { PRUNE_DELAY_MS } from './process-row.ts';
import type { Operation } from './process-state.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

const PAGE_PROCESSES = 100;
const PROCESSES_AT_A_TIME = 6;
const BULK_KINDS: Operation['kind'][] = ['create', 'update'];
/**
 * Processes about a person. They hold identifiers of passes and, after failures, the match that identifies the person.
 */
const PERSON_KINDS: Operation['kind'][] = ['export', 'erase'];
const DAY_MS = 24 * 60 * 60_000;

/** Names and values to erase from processes. */
export interface ItemsToErase {
  /** Names of the items' passes. */
  names: string[];
  /**
   * Folded texts, and a lookup of those that belong to this person only; items with one of them are erased, too. Called
   * only with texts that a process holds, because each takes a search. Absent: items are selected by name only.
   */
  values?: { texts: string[]; ownOf: (held: string[]) => Promise<string[]> };
  /** Only processes that started before this time, UTC milliseconds. */
  beganBefore: number;
}

/**
 * Removes the failed items of passes from the account's processes. Returns the removed items, `<process>/<number>`, and
 * whether a process is still open, so that more items may fail. With `dryRun` it removes nothing.
 */
export async function eraseItems(
  ctx: Context,
  accountId: string,
  { names, values, beganBefore }: ItemsToErase,
  { dryRun = false } = {},
): Promise<{ erased: string[]; isOpen: boolean }> {
  const erased: string[] = [];
  let isOpen = false;
  const hasItems = and(inArray(processes.kind, BULK_KINDS), or(isNull(processes.finishedAt), gt(processes.failed, 0)));
  const holdsItems = values !== undefined ? canHold(beganBefore) : hasItems;
  for (let after = ''; ; ) {
    const page = await ctx.db
      .select({ id: processes.id })
      .from(processes)
      .where(
        and(
          eq(processes.accountId, accountId),
          gt(processes.id, after),
          lt(processes.createdAt, beganBefore),
          holdsItems,
        ),
      )
      .orderBy(asc(processes.id))
      .limit(PAGE_PROCESSES);
    const found = await mapConcurrent(page, PROCESSES_AT_A_TIME, async ({ id }) => {
      const process = processStub(ctx, id);
      const held = values ? await process.textsIn(values.texts) : [];
      const own = held.length > 0 ? await values!.ownOf(held) : [];
      const ended = await process.erase(names, own, { dryRun });
      isOpen ||= ended.isOpen;
      return ended.erased.map((seq) => `${id}/${seq}`);
    });
    erased.push(...found.flat());
    if (page.length < PAGE_PROCESSES) return { erased, isOpen };
    after = page.at(-1)!.id;
  }
}

/** Builds the condition for processes whose objects may hold items or values. */
function canHold(beganBefore: number) {
  // A process that ended without failures drops its values an hour later.
  const isRecent = and(
    gt(processes.id, firstUuidAt(beganBefore - DAY_MS)),
    gt(processes.finishedAt, beganBefore - 2 * PRUNE_DELAY_MS),
  );
  const isLeft = and(inArray(processes.kind, PERSON_KINDS), isNotNull(processes.finishedAt), gt(processes.failed, 0));
  const isBulk = inArray(processes.kind, BULK_KINDS);
  return or(and(isBulk, or(isNull(processes.finishedAt), gt(processes.failed, 0), isRecent)), isLeft);
}

/** Whether a process of the account may hold items or values. */
export async function canHoldItems(ctx: Context, accountId: string, beganBefore: number): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.accountId, accountId), canHold(beganBefore)))
    .limit(1);
  return rows.length > 0;
}
