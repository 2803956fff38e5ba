import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import './row-reader.ts';
import { retryUntilSettled } from './transient-error.ts';

/** Size limit of a row (D1, "Limits"). */
export const ROW_BYTES_MAX = 2_000_000;

/** The D1 cost of a request or job, in units that callers wait for and operators pay for. */
export interface Meter {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  /** Size of the database in bytes, which each D1 reply states; undefined before the first reply. */
  databaseBytes?: number;
  /** The account, for the log line; undefined until it is known, null if there were several. */
  accountId?: string | null;
  /** Bookmark of writes by another session for this one; see `addWork`. */
  writtenElsewhere?: string;
}

export type Db = DrizzleD1Database;

/** A metered database and the session behind it. */
export interface OpenDatabase {
  db: Db;
  meter: Meter;
  /** Bookmark after the last query, for `X-D1-Bookmark`; null before the first one. */
  bookmark(): string | null;
}

/**
 * Opens a D1 session. A bookmark guarantees that reads see at least that state; without one, the first query goes to
 * the primary. Sessions of several databases can share a meter.
 */
export function openDatabase(binding: D1Database, bookmark?: string, meter: Meter = newMeter()): OpenDatabase {
  const session = binding.withSession(bookmark ?? 'first-primary');
  const client = new MeteredClient(session, meter);
  return {
    // Drizzle uses only the part of D1 that `MeteredClient` provides.
    db: drizzle(client as unknown as D1Database),
    meter,
    bookmark: () => later(session.getBookmark(), meter.writtenElsewhere),
  };
}

const newMeter = (): Meter => ({ roundTrips: 0, rowsRead: 0, rowsWritten: 0 });

/** The cost of another session that worked for a request, such as a Durable Object's. */
export type WorkElsewhere = Pick<Meter, 'roundTrips' | 'rowsRead' | 'rowsWritten'> & { bookmark: string | null };

/** Adds another session's work to a request: its cost is counted, and the request's bookmark covers its writes. */
export function addWork(meter: Meter, work: WorkElsewhere): void {
  meter.roundTrips += work.roundTrips;
  meter.rowsRead += work.rowsRead;
  meter.rowsWritten += work.rowsWritten;
  meter.writtenElsewhere = later(meter.writtenElsewhere, work.bookmark) ?? undefined;
}

/** Returns the later bookmark. Bookmarks sort as texts from oldest to newest (Cloudflare, D1 "Time Travel"). */
function later(a: string | null | undefined, b: string | null | undefined): string | null {
  if (!a || !b) return a || b || null;
  return a > b ? a : b;
}

/** Returns whether a text has the form of a D1 bookmark: hexadecimal groups joined by dashes. */
export function isBookmark(text: string): boolean {
  return text.length <= 128 && /^[0-9a-f]+(-[0-9a-f]+){3}$/.test(text);
}

function add(meter: Meter, meta: D1Meta & Record<string, unknown>): void {
  meter.rowsRead += meta.rows_read;
  meter.rowsWritten += meta.rows_written;
  meter.databaseBytes = meta.size_after;
}

/**
 * A read-only statement starts like `READ` and contains no words of `WRITE`. D1 uses the same words, except that it
 * takes the function `replace` for a write.
 */
const READ = /^\s*(select|with)\b/i;
const WRITE = /\b(insert|update|delete|replace\s+into)\b/i;

const isRead = ({ sql }: MeteredStatement) => READ.test(sql) && !WRITE.test(sql);

/**
 * Runs one round trip. If it only reads, it is retried after a transient error, in addition to D1's own two retries
 * (D1, "Retry queries"). A write must first know whether it took effect: see `domain/write-once.ts`.
 */
function roundTrip<T>(meter: Meter, statements: MeteredStatement[], ask: () => Promise<T>): Promise<T> {
  const counted = () => {
    meter.roundTrips += 1;
    return ask();
  };
  return retryUntilSettled(counted, () => statements.every(isRead));
}

/** The part of D1 that drizzle calls. It counts round trips and rows. */
class MeteredClient {
  #session: D1DatabaseSession;
  #meter: Meter;

  constructor(session: D1DatabaseSession, meter: Meter) {
    this.#session = session;
    this.#meter = meter;
  }

  prepare(sql: string): MeteredStatement {
    refuseDuplicateColumns(sql);
    return new MeteredStatement(sql, this.#session.prepare(sql), this.#meter);
  }

  async batch(statements: MeteredStatement[]): Promise<D1Result[]> {
    const native = statements.map((statement) => statement.native);
    const results = await roundTrip(this.#meter, statements, () => this.#session.batch(native));
    for (const result of results) add(this.#meter, result.meta);
    return results;
  }
}

class MeteredStatement {
  sql: string;
  native: D1PreparedStatement;
  #meter: Meter;

  constructor(sql: string, native: D1PreparedStatement, meter: Meter) {
    this.sql = sql;
    this.native = native;
    this.#meter = meter;
  }

  bind(...values: unknown[]): MeteredStatement {
    return new MeteredStatement(this.sql, this.native.bind(...values), this.#meter);
  }

  async all(): Promise<D1Result<Record<string, unknown>>> {
    const result = await roundTrip(this.#meter, [this], () => this.native.all<Record<string, unknown>>());
    add(this.#meter, result.meta);
    return result;
  }

  run(): Promise<D1Result<Record<string, unknown>>> {
    return this.all();
  }

  /** D1's own `raw()` hides the row counts, so rows come from `all()`. Therefore column names must be unique. */
  async raw(): Promise<unknown[][]> {
    const { results } = await this.all();
    return results.map((row) => Object.values(row));
  }
}

/** Selects that were already checked. There are few texts, because values are bound. */
const checked = new Set<string>();
const CHECKED_MAX = 1_000;
const SELECT = 'select ';

/** Throws if two result columns have the same name: D1 returns rows as objects, so one would silently disappear. */
function refuseDuplicateColumns(sql: string): void {
  if (!sql.startsWith(SELECT) || checked.has(sql)) return;
  const names = resultColumns(sql);
  const repeated = names.find((name, i) => name !== undefined && names.indexOf(name) !== i);
  if (repeated) throw new Error(`Column "${repeated}" is selected twice; give one of them an alias: ${sql}`);
  if (checked.size < CHECKED_MAX) checked.add(sql);
}

/** Returns the names of a select's result columns as drizzle writes them; undefined for an unnamed expression. */
function resultColumns(sql: string): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  let depth = 0;
  let start = SELECT.length;
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === '(') depth += 1;
    if (sql[at] === ')') depth -= 1;
    const ends = depth === 0 && (sql[at] === ',' || sql.startsWith(' from ', at));
    if (!ends) continue;
    names.push(/"([^"]+)"$/.exec(sql.slice(start, at))?.[1]);
    if (sql[at] !== ',') break;
    start = at + 1;
  }
  return names;
}
