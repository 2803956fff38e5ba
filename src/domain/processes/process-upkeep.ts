import type { FactsStore } from './facts-store.ts';

/** Interval at which a running process writes its totals to D1. */
export const MIRROR_MS = 5_000;
/** The ledger stays until no reader of it can still write: a queue consumer runs for at most 15 minutes. */
export const PRUNE_DELAY_MS = 60 * 60_000;

/** Due times of a process for writing its totals to D1 and removing its ledger there, in its object's SQLite. */
export class ProcessUpkeep {
  #sql: SqlStorage;
  #facts: FactsStore;

  constructor(sql: SqlStorage, facts: FactsStore) {
    this.#sql = sql;
    this.#facts = facts;
  }

  /** Whether the totals are due to be written to D1; they then count as written. */
  takeMirror(now: number): boolean {
    return this.#take('update process set mirror_due_at = null where mirror_due_at <= ? returning 1', now);
  }

  /** Schedules another write of the totals, after a failure. */
  mirrorLater(now: number): void {
    this.#sql.exec('update process set mirror_due_at = ?', now + MIRROR_MS);
  }

  /** Whether the ledger is due for removal. Until `pruned` is called, it becomes due again later. */
  takePrune(now: number): boolean {
    const again = now + PRUNE_DELAY_MS;
    return this.#take('update process set prune_due_at = ? where prune_due_at <= ? returning 1', again, now);
  }

  /** Records that the ledger was removed, and removes the values. */
  pruned(): void {
    this.#sql.exec('update process set prune_due_at = null');
    this.#facts.dropValues();
  }

  #take(update: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(update, ...values).toArray().length > 0;
  }
}
