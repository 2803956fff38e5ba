import { type FailedItem, pieces } from '../passes/bulk-item.ts';
import {
  ERRORS_SHOWN_MAX,
  type ProcessFacts,
  type ProcessItem,
  type ProcessState,
  RANGE_CHARS_MAX,
  RANGE_ITEMS_MAX,
} from './process-state.ts';

/** A run of items that is not done yet. */
export interface Range {
  first: number;
  last: number;
}

interface RangeRow extends Range {
  /** Number of items; those of a retry have gaps between them. */
  size: number;
  /** When to send it again; null: not sent yet. */
  due_at: number | null;
  claimed_until: number | null;
  sends: number;
  claims: number;
  /** JSON of the items. */
  items: string;
}

interface ProcessRow {
  facts: string;
  /** Passes that the query matched when the process started. */
  expected: number;
  /** Items so far; the next one's number. */
  items: number;
  succeeded: number;
  failed: number;
  /** Items, and passes that were not even selected, which a cancellation has left untouched. */
  dropped: number;
  unselected: number;
  selecting: number;
  after_id: string | null;
  selection_error: string | null;
  selection_due_at: number | null;
  mirror_due_at: number | null;
  prune_due_at: number | null;
  finished_at: number | null;
}

/** Ranges on the queue or being applied at a time: enough to keep D1 busy, few enough that a cancellation is felt and other jobs have their turn. */
const RANGES_SENT_MAX = 100;
/** A message that has not been taken up after this time counts as lost; each further one waits twice as long, because the queue may just be slow. */
const SEND_LEASE_MS = 15_000;
const SEND_LEASE_DOUBLINGS_MAX = 5;
/** Who holds a range for longer than this counts as dead. Applying one takes well under a second. */
const CLAIM_LEASE_MS = 15_000;
/** Attempts at a range before it is split, and at an item alone before it fails. */
const RANGE_CLAIMS_MAX = 2;
const ITEM_CLAIMS_MAX = 5;
const SPLIT_PARTS = 10;
const RETRY_DELAY_MS = 1_000;
const RETRY_FACTOR = 3;
/** The ledger stays for as long as someone who read it could still be about to write: a queue's consumer lives 15 minutes at most. */
const PRUNE_DELAY_MS = 60 * 60_000;

const INTERRUPTED = 'Could not be processed: the attempts were interrupted';

const SCHEMA = `
  create table if not exists process (
    facts text not null, expected integer not null, items integer not null default 0,
    succeeded integer not null default 0, failed integer not null default 0,
    dropped integer not null default 0, unselected integer not null default 0,
    selecting integer not null, after_id text, selection_error text, selection_due_at integer,
    mirror_due_at integer, prune_due_at integer, finished_at integer);
  create table if not exists ranges (
    first integer primary key, last integer not null, size integer not null,
    due_at integer, claimed_until integer, sends integer not null default 0, claims integer not null default 0,
    items text not null);
  create index if not exists ranges_by_due on ranges (due_at) where due_at is not null;
  create table if not exists failures (
    seq integer primary key, key text not null, message text not null, item text not null);`;

/**
 * The state of one process in its object's SQLite. Every method runs without a pause, so that the calls of an object never interleave. A finished range leaves; what stays of a process
 * is its counts and the items that failed, for a retry.
 */
export class ProcessStore {
  #storage: DurableObjectStorage;
  #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  /** Stores a new process. `expected` is how many passes its query matches; without a query its items come right away. */
  start(facts: ProcessFacts, items: ProcessItem[], expected: number): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec(
        'insert into process (facts, expected, selecting) values (?, ?, ?)',
        JSON.stringify(facts),
        expected,
        facts.query ? 1 : 0,
      );
      this.#insertRanges(items, facts.rangeItems);
      this.#sql.exec('update process set items = ?', items.length);
      this.settle(facts.createdAt);
    });
  }

  get exists(): boolean {
    return this.#row() !== undefined;
  }

  get facts(): ProcessFacts {
    return JSON.parse(this.#process().facts) as ProcessFacts;
  }

  state(): ProcessState {
    const row = this.#process();
    const failures = this.#sql
      .exec<{ key: string; message: string }>('select key, message from failures order by seq limit ?', ERRORS_SHOWN_MAX)
      .toArray();
    const errors = Object.fromEntries(failures.map(({ key, message }) => [key, message]));
    return {
      current: row.succeeded + row.failed,
      total: (row.selecting ? Math.max(row.expected, row.items) : row.items) - row.dropped,
      failed: row.failed,
      cancelled: row.dropped + row.unselected,
      createdAt: (JSON.parse(row.facts) as ProcessFacts).createdAt,
      finishedAt: row.finished_at,
      errors: row.selection_error === null ? errors : { ...errors, query: row.selection_error },
    };
  }

  /** The ranges to send now: new ones as far as there is room, and those that are due again. They count as sent. */
  takeRanges(now: number): Range[] {
    for (const row of this.#ranges('due_at <= ?', now)) {
      if (isExhausted(row)) this.#giveUp(row, INTERRUPTED);
    }
    const sent = this.#count('select count(*) as n from ranges where due_at > ?', now);
    const room = RANGES_SENT_MAX - sent;
    const taken = this.#ranges('due_at <= ? order by due_at limit ?', now, Math.max(0, room));
    // Few at a time are not worth a message to the queue; as long as others are under way, more room will come.
    if (room >= RANGES_SENT_MAX / 10) {
      taken.push(...this.#ranges('due_at is null order by first limit ?', room - taken.length));
    }
    for (const { first, sends } of taken) {
      const lease = SEND_LEASE_MS * 2 ** Math.min(sends, SEND_LEASE_DOUBLINGS_MAX);
      this.#sql.exec(
        'update ranges set due_at = ?, sends = sends + 1, claimed_until = null where first = ?',
        now + lease,
        first,
      );
    }
    return taken.map(({ first, last }) => ({ first, last }));
  }

  /** Hands a range out to be applied; undefined when it is done, split, cancelled, or in the hands of another. `claim` is the attempt's number. */
  claim({ first, last }: Range, now: number): { claim: number; items: string } | undefined {
    const [row] = this.#ranges('first = ? and last = ?', first, last);
    if (!row || (row.claimed_until ?? 0) > now) return undefined;
    const until = now + CLAIM_LEASE_MS;
    this.#sql.exec(
      'update ranges set claims = claims + 1, claimed_until = ?, due_at = ? where first = ?',
      until,
      until,
      first,
    );
    return { claim: row.claims + 1, items: row.items };
  }

  /** Notes a range as done. Only the latest claim counts, and only once. */
  report({ first, last }: Range, claim: number, failed: FailedItem[], now: number): void {
    const [row] = this.#ranges('first = ? and last = ? and claims = ?', first, last, claim);
    if (row) this.#close(row, failed, now);
  }

  /** Takes a range back that could not be applied: it is tried again later, in parts when that has been of no use. */
  giveBack({ first, last }: Range, claim: number, message: string, now: number): void {
    const [row] = this.#ranges('first = ? and last = ? and claims = ?', first, last, claim);
    if (!row) return;
    if (isExhausted(row)) return this.#giveUp(row, message, now);
    const delay = RETRY_DELAY_MS * RETRY_FACTOR ** (row.claims - 1);
    this.#sql.exec('update ranges set claimed_until = null, due_at = ? where first = ?', now + delay, first);
  }

  #giveUp(row: RangeRow, message: string, now = Date.now()): void {
    const items = JSON.parse(row.items) as ProcessItem[];
    if (items.length === 1) return this.#close(row, [{ seq: items[0]!.seq, message }], now);
    this.#storage.transactionSync(() => {
      this.#sql.exec('delete from ranges where first = ?', row.first);
      this.#insertRanges(items, Math.ceil(items.length / SPLIT_PARTS));
    });
  }

  #close(row: RangeRow, failed: FailedItem[], now: number): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec('delete from ranges where first = ?', row.first);
      this.#sql.exec(
        'update process set succeeded = succeeded + ?, failed = failed + ?',
        row.size - failed.length,
        failed.length,
      );
      if (failed.length > 0) {
        const items = new Map((JSON.parse(row.items) as ProcessItem[]).map((item) => [item.seq, item]));
        for (const { seq, message } of failed) {
          const item = items.get(seq)!;
          this.#sql.exec('insert into failures values (?, ?, ?, ?)', seq, item.key, message, JSON.stringify(item));
        }
      }
      this.settle(now);
    });
  }

  /** Where the selection of passes stands; undefined when there is none or it has ended. */
  selection(now: number): { afterId: string | null } | undefined {
    const row = this.#process();
    if (!row.selecting) return undefined;
    this.#sql.exec('update process set selection_due_at = ?', now + SEND_LEASE_MS);
    return { afterId: row.after_id };
  }

  /** Whether a message that continues the selection is due; it counts as sent. */
  takeSelection(now: number): boolean {
    const { selecting, selection_due_at } = this.#process();
    if (!selecting || (selection_due_at ?? 0) > now) return false;
    this.#sql.exec('update process set selection_due_at = ?', now + SEND_LEASE_MS);
    return true;
  }

  /** Adds a page of selected passes; false when that page has been added before. `isLast` ends the selection. */
  addSelected(afterId: string | null, ids: string[], isLast: boolean, now: number): boolean {
    const row = this.#process();
    if (!row.selecting || row.after_id !== afterId) return false;
    this.#storage.transactionSync(() => {
      const items = ids.map((key, i) => ({ seq: row.items + i, key }));
      this.#insertRanges(items, this.facts.rangeItems);
      this.#sql.exec(
        'update process set items = items + ?, after_id = ?, selecting = ?, selection_due_at = ?',
        ids.length,
        ids.at(-1) ?? afterId,
        isLast ? 0 : 1,
        isLast ? null : now + SEND_LEASE_MS,
      );
      this.settle(now);
    });
    return true;
  }

  /** Makes the selection due at once, for its next message. */
  continueSelection(): void {
    this.#sql.exec('update process set selection_due_at = 0 where selecting');
  }

  /** Ends the selection, which the query's own fault has stopped. */
  failSelection(message: string, now: number): void {
    this.#sql.exec('update process set selecting = 0, selection_due_at = null, selection_error = ? where selecting', message);
    this.settle(now);
  }

  /** Drops all that has not been handed out yet. */
  cancel(now: number): void {
    this.#storage.transactionSync(() => {
      const dropped = this.#count('select coalesce(sum(size), 0) as n from ranges where claims = 0');
      this.#sql.exec('delete from ranges where claims = 0');
      this.#sql.exec(
        `update process set dropped = dropped + ?, selecting = 0, selection_due_at = null,
          unselected = unselected + case when selecting then max(0, expected - items) else 0 end`,
        dropped,
      );
      this.settle(now);
    });
  }

  /** Makes open items of the failed ones, under their old numbers, and returns how many. */
  retry(now: number): number {
    return this.#storage.transactionSync(() => {
      const items = this.#sql
        .exec<{ item: string }>('select item from failures order by seq')
        .toArray()
        .map(({ item }) => JSON.parse(item) as ProcessItem);
      // A range spans no more numbers than RANGE_ITEMS_MAX, by which its part of the ledger is found.
      for (const block of Map.groupBy(items, ({ seq }) => Math.floor(seq / RANGE_ITEMS_MAX)).values()) {
        this.#insertRanges(block, this.facts.rangeItems);
      }
      this.#sql.exec('delete from failures');
      this.#sql.exec(
        `update process set failed = 0, selecting = selecting or selection_error is not null, selection_error = null,
          finished_at = null, prune_due_at = null`,
      );
      this.settle(now);
      return items.length;
    });
  }

  /** Notes that the process has ended when nothing is left to do, and that its totals have changed. */
  settle(now: number): void {
    const open = this.#process().selecting || this.#count('select exists (select 1 from ranges) as n');
    this.#sql.exec('update process set mirror_due_at = min(coalesce(mirror_due_at, ?1), ?1)', open ? now + MIRROR_MS : now);
    if (open) return;
    this.#sql.exec(
      `update process set finished_at = coalesce(finished_at, ?),
        prune_due_at = case when failed = 0 and selection_error is null then ? end`,
      now,
      now + PRUNE_DELAY_MS,
    );
  }

  /** When something is next to be done; undefined when there is nothing. */
  nextDueAt(): number | undefined {
    const row = this.#row();
    if (!row) return undefined;
    const [{ at }] = this.#sql.exec<{ at: number | null }>('select min(due_at) as at from ranges where due_at is not null').toArray() as [{ at: number | null }];
    const times = [at, row.selection_due_at, row.mirror_due_at, row.prune_due_at].filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) : undefined;
  }
}
