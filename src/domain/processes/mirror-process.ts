import { eq } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import type { ProcessFacts, ProcessState } from './process-state.ts';
import { processes } from './table.ts';

/** Writes the totals of a process to its row, which is made if need be. */
export async function mirrorProcess(db: Db, facts: ProcessFacts, state: ProcessState): Promise<void> {
  const { id: _, accountId: __, createdAt: ___, kind: ____, ...totals } = rowOf(facts, state);
  await db
    .insert(processes)
    .values(rowOf(facts, state))
    .onConflictDoUpdate({ target: processes.id, set: totals, setWhere: eq(processes.accountId, facts.account.id) });
}

/** The row of a process in this state. */
export function rowOf({ id, account, operation }: ProcessFacts, state: ProcessState): typeof processes.$inferInsert {
  const { total, current, failed, createdAt, finishedAt } = state;
  return {
    id,
    accountId: account.id,
    kind: operation.kind,
    total,
    current,
    failed,
    createdAt,
    finishedAt,
    mirroredAt: Date.now(),
  };
}
