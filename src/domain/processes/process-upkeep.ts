import type { FactsStore } from './facts-store.ts';

/** How often a running process writes its totals to D1. */
export const MIRROR_MS = 5_000;
/** The ledger stays until nobody who has read it can still write: a queue's consumer lives 15 minutes at most. */
export const PRUNE_DELAY_MS = 60 * 60_000;

/** When a process has to write its totals to D1 and to remove what is noted of it there, in its object's SQLite. */
export class ProcessUpkeep {
  #sql: SqlStorage;
  #facts: FactsStore;

  constructor(sql: SqlStorage, facts: FactsStore) {
    this.#sql = sql;
    this.#facts = facts;
  }

  /** Whether the totals are to be written to D1; they count as written. */
  takeMirror(now: number): boolean {
    return this.#take('update process set mirror_due_at = null where mirror_due_at <= ? returning 1', now);
  }

  /** Has the totals written again, after a failure. */
  mirrorLater(now: number): void {
    this.#sql.exec('update process set mirror_due_at = ?', now + MIRROR_MS);
  }

  /** Whether the ledger is due for removal. Until `pruned` is called, it is due again later. */
  takePrune(now: number): boolean {
    const again = now + PRUNE_DELAY_MS;
    return this.#take('update process set prune_due_at = ? where prune_due_at <= ? returning 1', again, now);
  }

  /** Notes that the ledger is removed; the values go with it. */
  pruned(): void {
    this.#sql.exec('update process set prune_due_at = null');
    this.#facts.dropValues();
  }

  #take(update: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(update, ...values).toArray().length > 0;
  }
}
