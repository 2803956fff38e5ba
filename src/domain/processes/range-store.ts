import { pieces } from '../passes/bulk/bulk-item.ts';
import { textsIn } from './has-text.ts';
import { type ProcessItem, RANGE_CHARS_MAX } from './process-state.ts';
import { RangeWidth } from './range-width.ts';

/** A run of items that is not done yet, by the numbers of its first and last item. */
export interface Range {
  first: number;
  last: number;
}

/** A range as it is stored. */
export interface StoredRange extends Range {
  [column: string]: SqlStorageValue;
  /** Number of items; those of a retry may have gaps between them. */
  size: number;
  /** Attempts at it so far. */
  claims: number;
  claimed_until: number | null;
  sends: number;
  /** JSON of the items. */
  items: string;
}

/** Fewer are not worth a message to the queue as long as others are under way. */
const RANGES_SENT_MIN = 10;
/**
 * A message that has not been taken up after this time counts as lost; each further one waits twice as long, because
 * the queue may just be slow.
 */
const SEND_LEASE_MS = 15_000;
const SEND_LEASE_DOUBLINGS_MAX = 5;
/**
 * Who holds a range for longer than this counts as dead. Applying one takes well under a second; each further claim has
 * twice as long, because the database may just be slow.
 */
const CLAIM_LEASE_MS = 15_000;
const CLAIM_LEASE_DOUBLINGS_MAX = 4;
/** Attempts at a range before it is split, and at an item alone before it fails. */
const RANGE_CLAIMS_MAX = 2;
const ITEM_CLAIMS_MAX = 5;
const SPLIT_PARTS = 10;
const RETRY_DELAY_MS = 1_000;
const RETRY_DELAY_FACTOR = 3;
/** How long a range waits whose account is suspended, before it is tried again. */
const PAUSE_MS = 60_000;

const SCHEMA = `
  create table if not exists ranges (
    first integer primary key, last integer not null, size integer not null,
    due_at integer, claimed_until integer, sends integer not null default 0, claims integer not null default 0,
    items text not null);
  create index if not exists ranges_by_due on ranges (due_at) where due_at is not null;`;

/**
 * The open ranges of one process in its object's SQLite; a range that is done leaves. `due_at` says when to send a
 * range again; null: it waits for its turn.
 */
export class RangeStore {
  #sql: SqlStorage;
  #width = new RangeWidth();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
  }

  /** Cuts items into ranges of at most `itemsMax`; their numbers rise. */
  insert(items: ProcessItem[], itemsMax: number): void {
    const texts = items.map((item) => ({ seq: item.seq, text: JSON.stringify(item) }));
    for (const piece of pieces(texts, itemsMax, RANGE_CHARS_MAX, ({ text }) => text.length)) {
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

  /** Ranges that were sent or claimed, and of which nothing was heard in time. */
  overdue(now: number): StoredRange[] {
    return this.#all('due_at <= ?', now);
  }

  /** The ranges to send now: those that are due again, and new ones as far as there is room. They count as sent. */
  take(now: number): Range[] {
    const sent = this.#number('select count(*) as n from ranges where due_at > ?', now);
    const room = this.#width.ranges - sent;
    const taken = this.#all('due_at <= ? order by due_at limit ?', now, Math.max(0, room));
    if (room >= Math.min(RANGES_SENT_MIN, this.#width.ranges / 2)) {
      taken.push(...this.#all('due_at is null order by first limit ?', room - taken.length));
    }
    // What there is no room for waits for its turn: it must not call for the alarm again and again.
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
   * Hands a range out; undefined when it is done, split, cancelled, or in the hands of another. Returns it with this
   * attempt counted.
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

  /** The range as its latest claim left it; undefined for an earlier claim, and when the range is no more. */
  claimed({ first, last }: Range, claim: number): StoredRange | undefined {
    return this.#all('first = ? and last = ? and claims = ?', first, last, claim)[0];
  }

  /** What still stands of a range: itself, or the parts into which it was split. */
  within({ first, last }: Range): StoredRange[] {
    return this.#all('first >= ? and last <= ? order by first', first, last);
  }

  /** Lets a range wait a while, longer with each attempt. */
  postpone({ first, claims }: StoredRange, now: number): void {
    const delay = RETRY_DELAY_MS * RETRY_DELAY_FACTOR ** (claims - 1);
    this.#sql.exec('update ranges set claimed_until = null, due_at = ? where first = ?', now + delay, first);
  }

  /** Lets a range be looked at again at once. */
  makeDue({ first }: StoredRange, now: number): void {
    this.#sql.exec('update ranges set claimed_until = null, due_at = ? where first = ?', now, first);
  }

  /** Lets a range wait that nobody may apply now, and forgets the claim. */
  pause({ first }: StoredRange, now: number): void {
    const dueAt = now + PAUSE_MS;
    this.#sql.exec(
      'update ranges set claims = claims - 1, claimed_until = null, due_at = ? where first = ?',
      dueAt,
      first,
    );
  }

  /** Whether further attempts at the range as a whole are of no use. */
  isExhausted({ claims, size }: StoredRange): boolean {
    return claims >= (size > 1 ? RANGE_CLAIMS_MAX : ITEM_CLAIMS_MAX);
  }

  /** Puts several smaller ranges in the place of one. */
  split(row: StoredRange): void {
    this.remove(row);
    this.insert(JSON.parse(row.items) as ProcessItem[], Math.ceil(row.size / SPLIT_PARTS));
  }

  remove({ first }: Range): void {
    this.#sql.exec('delete from ranges where first = ?', first);
  }

  /** Removes a range that is done; how long it took says how many to send. */
  done(range: Range, now: number): void {
    this.#width.done(range.first, now);
    this.remove(range);
  }

  /** Removes what was never handed out, one range after the other, so that no more than one is in memory. */
  *dropUnclaimed(): Generator<StoredRange> {
    for (;;) {
      const [row] = this.#all('claims = 0 limit 1');
      if (!row) return;
      this.remove(row);
      yield row;
    }
  }

  /** Those of the texts, folded, that an open item has. */
  textsIn(texts: Set<string>): string[] {
    if (texts.size === 0) return [];
    const rows = this.#sql.exec<{ items: string }>('select items from ranges');
    return [...rows].flatMap((row) =>
      (JSON.parse(row.items) as ProcessItem[]).flatMap(({ key, data }) => textsIn([key, data], texts)),
    );
  }

  /** When the next range is due again. */
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
