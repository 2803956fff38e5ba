import { fieldIssue } from '../errors.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import { FactsStore } from './facts-store.ts';
import { FailureStore, RetryStore } from './failure-store.ts';
import { type ErasedItems, HeldValues } from './held-values.ts';
import { type NotedOutcome, type Outcome, OutcomeStore, SELECTION } from './outcome-store.ts';
import {
  leaveOut,
  PROCESS_SCHEMA,
  type ProcessRow,
  ProcessSelection,
  ProcessUpkeep,
  type SelectedPage,
  totalsOf,
} from './process-row.ts';
import {
  isSelecting,
  type ProcessFacts,
  type ProcessItem,
  type ProcessState,
  RANGE_ITEMS_MAX,
} from './process-state.ts';
import { type Range, RangeStore, type StoredRange } from './range-store.ts';

/** Error of an item that keeps failing through no fault of its own; the log has the details. */
const NOT_APPLIED = 'Could not be processed because of an internal error';
/** Error of a query whose selection keeps being interrupted. */
const INTERRUPTED = 'Could not be processed: every attempt was interrupted';

/**
 * State of one process in its object's SQLite. Methods are synchronous, so calls of an object never interleave. A
 * finished process keeps its counts and, for a retry, the failed items. Times are UTC milliseconds; `now` is the time
 * of the call.
 */
export class ProcessStore {
  #storage: DurableObjectStorage;
  #sql: SqlStorage;
  #facts: FactsStore;
  #ranges: RangeStore;
  #failures: FailureStore;
  #retries: RetryStore;
  /** Progress of the selection of passes, and outcomes of the ranges. */
  readonly selection: ProcessSelection;
  readonly outcomes: OutcomeStore;
  /** Personal values. */
  readonly held: HeldValues;
  /** Due times for writing the totals to D1 and for removing the ledger. */
  readonly upkeep: ProcessUpkeep;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(PROCESS_SCHEMA);
    this.#facts = new FactsStore(storage.sql);
    this.#ranges = new RangeStore(storage.sql);
    this.#failures = new FailureStore(storage.sql);
    this.selection = new ProcessSelection(storage.sql);
    this.#retries = new RetryStore(storage.sql);
    this.held = new HeldValues(this.#failures, this.#ranges, this.#facts);
    this.outcomes = new OutcomeStore(storage.sql);
    this.upkeep = new ProcessUpkeep(storage.sql, this.#facts);
  }

  /**
   * Stores a new process, unless it exists. `expected`: number of passes that its query matches. Without a query,
   * `items` are all.
   */
  start(facts: ProcessFacts, items: ProcessItem[], expected: number, now: number): void {
    if (this.exists) return;
    const selects = isSelecting(facts);
    this.#storage.transactionSync(() => {
      this.#sql.exec(
        `insert into process (id, created_at, range_items, expected, items, selecting, selection_due_at)
          values (?, ?, ?, ?, ?, ?, ?)`,
        facts.id,
        facts.createdAt,
        facts.rangeItems,
        expected,
        items.length,
        selects ? 1 : 0,
        selects ? now : null,
      );
      this.#facts.insert(facts);
      this.#ranges.insert(items, facts.rangeItems);
      this.#settle(now);
    });
  }

  get exists(): boolean {
    return this.#sql.exec('select 1 from process').toArray().length > 0;
  }

  get isFinished(): boolean {
    return this.#row().finished_at !== null;
  }

  get id(): string {
    return this.#row().id;
  }

  /** JSON of `ProcessFacts`. */
  get facts(): string {
    return this.#facts.text;
  }

  state(): ProcessState {
    const result = this.outcomes.sums();
    return { ...(result && { result }), ...this.#facts.target(), ...totalsOf(this.#row(), this.#failures.issues()) };
  }

  /** Returns items with all claims used up but no result: the ledger knows whether they were applied. */
  interrupted(now: number): StoredRange[] {
    return this.#ranges.overdue(now).filter((row) => row.size === 1 && this.#ranges.isExhausted(row));
  }

  /** Closes interrupted items; those in the ledger count as done. */
  endInterrupted(rows: StoredRange[], applied: Set<number>, now: number): void {
    for (const row of rows) {
      if (!this.#ranges.claimed(row, row.claims)) continue;
      this.#close(row, applied.has(row.first) ? [] : [{ seq: row.first, issues: [fieldIssue('', NOT_APPLIED)] }], now);
    }
  }

  /** Returns the ranges to send now. Splits exhausted ranges first. */
  takeRanges(now: number): Range[] {
    for (const row of this.#ranges.overdue(now)) {
      if (row.size > 1 && this.#ranges.isExhausted(row)) this.#split(row);
    }
    return this.#ranges.take(now);
  }

  /** Claims a range; `claim` is the number of the attempt. Undefined if this message has nothing to do. */
  claim(range: Range, now: number): { claim: number; items: string } | undefined {
    const row = this.#ranges.claim(range, now);
    return row && { claim: row.claims, items: row.items };
  }

  /**
   * Records a range as done, once. A late report counts too: its items are applied, even if the range was claimed again
   * or split meanwhile. Only the latest claim may report failures.
   */
  report(range: Range, claim: number, failed: FailedItem[], now: number, outcome?: Outcome): void {
    const row = this.#ranges.claimed(range, claim);
    if (row) this.#close(row, failed, now, outcome);
    // The output of a late report exists beside that of the next claim; only the latter counts.
    else if (failed.length === 0 && outcome === undefined)
      for (const part of this.#ranges.within(range)) this.#close(part, [], now);
  }

  /** Stores the counts of a claimed range's items. Throws if another attempt, which has counted, holds the range. */
  note(range: Range, claim: number, noted: NotedOutcome): void {
    if (!this.#ranges.claimed(range, claim)) throw new Error('another attempt has this range');
    this.#storage.transactionSync(() => this.outcomes.note(noted));
  }

  /** Takes back a range that couldn't be applied: it is retried later, in parts once exhausted. */
  giveBack(range: Range, claim: number, now: number): void {
    const row = this.#ranges.claimed(range, claim);
    if (!row) return;
    if (!this.#ranges.isExhausted(row)) this.#ranges.postpone(row, now);
    else if (row.size > 1) this.#split(row);
    else this.#ranges.makeDue(row, now);
  }

  /** Takes back a range that must wait, as if it hadn't been claimed. */
  pause(range: Range, claim: number, now: number): void {
    const row = this.#ranges.claimed(range, claim);
    if (row) this.#ranges.pause(row, now);
  }

  #split(row: StoredRange): void {
    this.#storage.transactionSync(() => this.#ranges.split(row));
  }

  #close(row: StoredRange, failed: FailedItem[], now: number, outcome?: Outcome): void {
    this.#storage.transactionSync(() => {
      if (outcome) this.outcomes.add(row.first, outcome);
      this.outcomes.settle(row.first, row.last);
      this.#ranges.done(row, now);
      const kept = this.#failures.add(failed, row.items);
      this.#sql.exec(
        'update process set succeeded = succeeded + ?, failed = failed + ?, dropped = dropped + ?',
        row.size - failed.length,
        kept,
        failed.length - kept,
      );
      this.#settle(now);
    });
  }

  /** Whether a selection message is due; it then counts as sent. Fails a selection without progress. */
  takeSelection(now: number): boolean {
    const taken = this.selection.take(this.#row(), now);
    if (taken === 'exhausted') this.failSelection(INTERRUPTED, now);
    return taken === 'due';
  }

  /** Adds a page of selected passes; false if it was added before. */
  addSelected(afterId: string | null, ids: string[], page: SelectedPage, now: number): boolean {
    const row = this.#row();
    if (!row.selecting || row.after_id !== afterId) return false;
    const { next = ids.at(-1) ?? afterId, outcome } = page;
    this.#storage.transactionSync(() => {
      if (outcome) this.outcomes.add(SELECTION, outcome);
      const items = ids.map((key, i) => ({ seq: row.items + i, key }));
      this.#ranges.insert(items, row.range_items);
      this.selection.proceed(ids.length, { ...page, next }, now);
      this.#settle(now);
    });
    return true;
  }

  /** Ends a selection that can't continue. */
  failSelection(message: string, now: number): void {
    this.selection.fail(message);
    this.#settle(now);
  }

  /** Drops all unclaimed ranges and returns their number of items; items of a retry count as failed again. */
  cancel(now: number): number {
    return this.#storage.transactionSync(() => {
      const { selecting, expected, items: selected } = this.#row();
      const unselected = selecting ? Math.max(0, expected - selected) : 0;
      let [dropped, failed] = [0, 0];
      for (const { items, size } of this.#ranges.dropUnclaimed()) {
        const returned = this.#failures.putBack(items);
        failed += returned;
        dropped += size - returned;
      }
      const counts = 'dropped = dropped + ?, failed = failed + ?, unselected = unselected + ?';
      const update = `update process set ${counts}, selecting = 0, selection_due_at = null`;
      this.#sql.exec(update, dropped, failed, unselected);
      this.#settle(now);
      return dropped + failed + unselected;
    });
  }

  /** Reopens failed items with their old numbers, and returns how many; once per identifier. */
  retry(id: string, now: number): number {
    const retryAll = () => {
      this.selection.restart();
      const items = this.#failures.takeAll();
      // A range spans at most RANGE_ITEMS_MAX numbers, because its part of the ledger is found by them.
      const blocks = Map.groupBy(items, ({ seq }) => Math.floor(seq / RANGE_ITEMS_MAX)).values();
      for (const block of blocks) this.#ranges.insert(block, this.#row().range_items);
      this.#sql.exec(
        `update process set failed = 0, finished_at = null, prune_due_at = null, selection_error = null,
          selecting = selecting or selection_error is not null,
          selection_due_at = case when selection_error is null then selection_due_at else ? end`,
        now,
      );
      this.#settle(now);
      return this.#retries.insert(id, items.length);
    };
    return this.#retries.find(id) ?? this.#storage.transactionSync(retryAll);
  }

  /**
   * Removes failed items with one of the names or values; they count as left out, even those that fail later. Returns
   * the removed items, and whether others can still fail. With `dryRun` it removes nothing.
   */
  erase(names: Set<string>, values: Set<string>, { dryRun, now }: { dryRun: boolean; now: number }): ErasedItems {
    if (!this.exists) return { erased: [], isOpen: false };
    const erased = this.held.find(names, values, this.isFinished);
    const erase = () => {
      const isOver = this.held.erase(names, values, this.isFinished);
      if (erased.length === 0 && !isOver) return;
      leaveOut(this.#sql, erased.length, isOver);
      this.#settle(now);
    };
    if (!dryRun) this.#storage.transactionSync(erase);
    return { erased, isOpen: !this.isFinished };
  }

  /** Records that the totals have changed, and the end if nothing is left to do. */
  #settle(now: number): void {
    const open = this.#row().selecting || !this.#ranges.isEmpty;
    this.upkeep.totalsChanged(now);
    if (open) return;
    const dropped = this.held.end();
    if (dropped !== undefined) leaveOut(this.#sql, dropped, true);
    this.upkeep.ended(now);
    const { failed, selection_error } = this.#row();
    if (failed === 0 && selection_error === null) this.#facts.dropPerson();
  }

  /** Returns the next time at which something is due; undefined if nothing is. */
  nextDueAt(): number | undefined {
    if (!this.exists) return undefined;
    const { selection_due_at, mirror_due_at, prune_due_at } = this.#row();
    const times = [this.#ranges.nextDueAt(), selection_due_at, mirror_due_at, prune_due_at].filter((at) => at !== null);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  #row(): ProcessRow {
    return this.#sql.exec<ProcessRow>('select * from process').one();
  }
}
