import { chunksOf } from '../../platform/chunks.ts';
import { textsIn } from './folded-texts.ts';
import { type ProcessItem, RANGE_CHARS_MAX } from './process-state.ts';

/**
 * Initial and maximum number of ranges in progress: enough to keep D1 busy, few enough that a cancellation takes effect
 * soon and other jobs get their turn.
 */
const INITIAL_WIDTH = 10;
const WIDTH_MAX = 100;
/** A range that takes at most the first time widens the limit by one; one that takes the second narrows it. */
const QUICK_MS = 4_000;
const SLOW_MS = 8_000;
const NARROW_FACTOR = 0.8;

/**
 * Limits the ranges of a process in progress, by their time from sending to completion. With a slow database or queue,
 * few are sent, so that none counts as lost while it waits. Kept in memory only; times are UTC milliseconds.
 */
class RangeWidth {
  #width = INITIAL_WIDTH;
  /** First send time of each range in progress, by the number of its first item. */
  #sentAt = new Map<number, number>();

  get ranges(): number {
    return Math.floor(this.#width);
  }

  sent(first: number, now: number): void {
    if (!this.#sentAt.has(first)) this.#sentAt.set(first, now);
    else this.#narrow();
  }

  done(first: number, now: number): void {
    const durationMs = now - (this.#sentAt.get(first) ?? now);
    this.#sentAt.delete(first);
    if (durationMs <= QUICK_MS) this.#width = Math.min(WIDTH_MAX, this.#width + 1);
    else if (durationMs >= SLOW_MS) this.#narrow();
  }

  #narrow(): void {
    this.#width = Math.max(1, this.#width * NARROW_FACTOR);
  }
}

/** A run of unfinished items, by the numbers of the first and the last one. */
export interface Range {
  first: number;
  last: number;
}

/** A stored range. */
export interface StoredRange extends Range {
  [column: string]: SqlStorageValue;
  /** Number of items; a retry may leave gaps between them. */
  size: number;
  /** Number of attempts so far. */
  claims: number;
  claimed_until: number | null;
  sends: number;
  /** JSON of the items. */
  items: string;
}

/** Minimum number of ranges to send while others are in progress; fewer aren't worth a message to the queue. */
const RANGES_SENT_MIN = 10;
/**
 * Time after which an unclaimed message counts as lost. It doubles with each resend, because the queue may just be
 * slow.
 */
const SEND_LEASE_MS = 15_000;
const SEND_LEASE_DOUBLINGS_MAX = 5;
/**
 * Time after which the holder of a claim counts as dead. Applying a range takes well under a second. The time doubles
 * with each claim, because the database may just be slow.
 */
const CLAIM_LEASE_MS = 15_000;
const CLAIM_LEASE_DOUBLINGS_MAX = 4;
/** Attempts at a range before it is split, and at a single item before it fails. */
const RANGE_CLAIMS_MAX = 2;
const ITEM_CLAIMS_MAX = 5;
const SPLIT_PARTS = 10;
const RETRY_DELAY_MS = 1_000;
const RETRY_DELAY_FACTOR = 3;
/** Delay until a range of a suspended account is tried again. */
const PAUSE_MS = 60_000;

const SCHEMA = `
  create table if not exists ranges (
    first integer primary key, last integer not null, size integer not null,
    due_at integer, claimed_until integer, sends integer not null default 0, claims integer not null default 0,
    items text not null);
  create index if not exists ranges_by_due on ranges (due_at) where due_at is not null;`;

/** Open ranges of one process in its object's SQLite. `due_at` is when to resend a range; null: it hasn't been sent. */
export class RangeStore {
  #sql: SqlStorage;
  #width = new RangeWidth();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
  }

  /** Cuts items with ascending numbers into ranges of at most `itemsMax`. */
  insert(items: ProcessItem[], itemsMax: number): void {
    const texts = items.map((item) => ({ seq: item.seq, text: JSON.stringify(item) }));
    for (const piece of chunksOf(texts, RANGE_CHARS_MAX, ({ text }) => text.length, itemsMax)) {
      this.#sql.exec(
        'insert into ranges (first, last, size, items) values (?, ?, ?, ?)',
        piece[0]!.seq,
        piece.at(-1)!.seq,
        piece.length,
        `[${piece.map(({ text }) => text)}]`,
      );
    }
  }

  get isEmpty(): boolean {
    return this.#number('select count(*) as n from (select 1 from ranges limit 1)') === 0;
  }

  /** Returns ranges that were sent or claimed, without a result in time. */
  overdue(now: number): StoredRange[] {
    return this.#all('due_at <= ?', now);
  }

  /** Returns the ranges to send now: due ones, and new ones if there is room. They count as sent. */
  take(now: number): Range[] {
    const sent = this.#number('select count(*) as n from ranges where due_at > ?', now);
    const room = this.#width.ranges - sent;
    const taken = this.#all('due_at <= ? order by due_at limit ?', now, Math.max(0, room));
    if (room >= Math.min(RANGES_SENT_MIN, this.#width.ranges / 2)) {
      taken.push(...this.#all('due_at is null order by first limit ?', room - taken.length));
    }
    // Ranges without room wait for their turn: they must not trigger the alarm again and again.
    this.#sql.exec('update ranges set due_at = null where due_at <= ?', now);
    for (const { first, sends } of taken) {
      this.#width.sent(first, now);
      const lease = SEND_LEASE_MS * 2 ** Math.min(sends, SEND_LEASE_DOUBLINGS_MAX);
      this.#sql.exec(
        'update ranges set due_at = ?, sends = sends + 1, claimed_until = null where first = ?',
        now + lease,
        first,
      );
    }
    return taken.map(({ first, last }) => ({ first, last }));
  }

  /**
   * Claims a range and returns it with this attempt counted; undefined if it is done, split, canceled, or claimed by
   * another.
   */
  claim({ first, last }: Range, now: number): StoredRange | undefined {
    const [row] = this.#all('first = ? and last = ?', first, last);
    if (!row || (row.claimed_until ?? 0) > now) return undefined;
    const until = now + CLAIM_LEASE_MS * 2 ** Math.min(row.claims, CLAIM_LEASE_DOUBLINGS_MAX);
    this.#sql.exec(
      'update ranges set claims = claims + 1, claimed_until = ?, due_at = ? where first = ?',
      until,
      until,
      first,
    );
    return { ...row, claims: row.claims + 1 };
  }

  /** Returns the range of the latest claim; undefined for an earlier claim, or if the range is gone. */
  claimed({ first, last }: Range, claim: number): StoredRange | undefined {
    return this.#all('first = ? and last = ? and claims = ?', first, last, claim)[0];
  }

  /** Returns what is left of a range: itself, or the parts into which it was split. */
  within({ first, last }: Range): StoredRange[] {
    return this.#all('first >= ? and last <= ? order by first', first, last);
  }

  /** Delays a range, longer with each attempt. */
  postpone({ first, claims }: StoredRange, now: number): void {
    const delay = RETRY_DELAY_MS * RETRY_DELAY_FACTOR ** (claims - 1);
    this.#sql.exec('update ranges set claimed_until = null, due_at = ? where first = ?', now + delay, first);
  }

  /** Makes a range due at once. */
  makeDue({ first }: StoredRange, now: number): void {
    this.#sql.exec('update ranges set claimed_until = null, due_at = ? where first = ?', now, first);
  }

  /** Delays a range that can't be applied now, and undoes the claim. */
  pause({ first }: StoredRange, now: number): void {
    const dueAt = now + PAUSE_MS;
    this.#sql.exec(
      'update ranges set claims = claims - 1, claimed_until = null, due_at = ? where first = ?',
      dueAt,
      first,
    );
  }

  /** Whether the attempts at the range as a whole are used up. */
  isExhausted({ claims, size }: StoredRange): boolean {
    return claims >= (size > 1 ? RANGE_CLAIMS_MAX : ITEM_CLAIMS_MAX);
  }

  /** Replaces a range with several smaller ones. */
  split(row: StoredRange): void {
    this.remove(row);
    this.insert(JSON.parse(row.items) as ProcessItem[], Math.ceil(row.size / SPLIT_PARTS));
  }

  remove({ first }: Range): void {
    this.#sql.exec('delete from ranges where first = ?', first);
  }

  /** Removes a finished range; its duration adjusts how many are sent. */
  done(range: Range, now: number): void {
    this.#width.done(range.first, now);
    this.remove(range);
  }

  /** Removes ranges that were never claimed, one by one so that only one is in memory. */
  *dropUnclaimed(): Generator<StoredRange> {
    for (;;) {
      const [row] = this.#all('claims = 0 limit 1');
      if (!row) return;
      this.remove(row);
      yield row;
    }
  }

  /** Returns the folded texts that occur in an open item. */
  textsIn(texts: Set<string>): string[] {
    if (texts.size === 0) return [];
    const rows = this.#sql.exec<{ items: string }>('select items from ranges');
    return [...rows].flatMap((row) =>
      (JSON.parse(row.items) as ProcessItem[]).flatMap(({ key, data }) => textsIn([key, data], texts)),
    );
  }

  /** Returns when the next range is due. */
  nextDueAt(): number | null {
    return this.#number('select min(due_at) as n from ranges where due_at is not null');
  }

  #all(condition: string, ...values: SqlStorageValue[]): StoredRange[] {
    return this.#sql.exec<StoredRange>(`select * from ranges where ${condition}`, ...values).toArray();
  }

  #number(query: string, ...values: SqlStorageValue[]): number {
    return this.#sql.exec<{ n: number }>(query, ...values).one().n;
  }
}
