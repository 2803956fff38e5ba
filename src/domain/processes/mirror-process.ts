import { eq } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import type { ActionName } from '../audit/actions.ts';
import { ALWAYS, fieldsOnly, recordAction } from '../audit/record-action.ts';
import type { Operation, ProcessFacts, ProcessState } from './process-state.ts';
import { processes } from './table.ts';

/** Writes the totals of a process to its row, and creates the row if necessary. */
export async function mirrorProcess(db: Db, facts: ProcessFacts, state: ProcessState): Promise<void> {
  const { id: _, accountId: __, createdAt: ___, kind: ____, ...totals } = rowOf(facts, state);
  await db.batch([
    db
      .insert(processes)
      .values(rowOf(facts, state))
      .onConflictDoUpdate({ target: processes.id, set: totals, setWhere: eq(processes.accountId, facts.account.id) }),
    ...startEntry(db, facts),
  ]);
}

const ACTIONS_OF = {
  create: 'passes.create',
  update: 'passes.update',
  export: 'person.export',
  erase: 'person.erase',
} as const satisfies Record<Exclude<Operation['kind'], 'unique'>, ActionName>;

/**
 * Builds the statement that records who started a process, for each batch that may be the first to write its row: the
 * object starts before that. All write the same entry. A dry run leaves none, and neither does a process of a save,
 * which has its own.
 */
export function startEntry(db: Db, { id, account, operation, starter }: ProcessFacts) {
  if (!starter || operation.kind === 'unique' || (operation.kind === 'erase' && operation.dryRun)) return [];
  const { entryId, ...caller } = starter;
  // Values are personal, like those of single passes.
  const changes = operation.kind === 'update' ? fieldsOnly(Object.keys(operation.data ?? {})) : undefined;
  const entry = { id: entryId, action: ACTIONS_OF[operation.kind], target: { type: 'process', id }, changes } as const;
  return [recordAction({ ...caller, db, account }, entry, ALWAYS)];
}

/** Builds the row of a process in this state. */
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
