import { recordStatement } from './statement-record.ts';
import type { RuntimeLine } from './test-runtime.ts';

/** One JSON line that the Worker logged. */
export type LogLine = Record<string, unknown>;

const LINES_KEPT = 20_000;

interface Waiter {
  matches(line: LogLine): boolean;
  found(line: LogLine): void;
}

/** Keeps the Worker's log as it is written, and tells who waits for a line that it has arrived. */
export class LogBook {
  #lines: LogLine[] = [];
  #waiters = new Set<Waiter>();
  /** Ended ticks of the cron by their databases. */
  #ticks = new Map<unknown, number>();

  /** Adds what the Worker has just logged. */
  add({ level, message }: RuntimeLine): void {
    const line = parse(level, message);
    // What `recorded-worker.ts` says is nothing that the service logs.
    if (typeof line.statement === 'string') {
      recordStatement(line.statement);
      return;
    }
    this.#lines.push(line);
    if (line.event === 'tick') this.#ticks.set(line.database, this.ticksOf(line.database) + 1);
    for (const waiter of this.#waiters) if (waiter.matches(line)) waiter.found(line);
    if (this.#lines.length > LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT / 2);
  }

  /**
   * The newest line that has all of `fields`, as soon as it is written; undefined when `deadlineMillis` pass without
   * one.
   */
  find(fields: LogLine, deadlineMillis: number): Promise<LogLine | undefined> {
    const matches = (line: LogLine) => Object.entries(fields).every(([name, value]) => line[name] === value);
    const known = this.#lines.findLast(matches);
    return known ? Promise.resolve(known) : this.#next(matches, deadlineMillis);
  }

  #next(matches: (line: LogLine) => boolean, deadlineMillis: number): Promise<LogLine | undefined> {
    return new Promise((resolve) => {
      const end = (line?: LogLine) => {
        clearTimeout(deadline);
        this.#waiters.delete(waiter);
        resolve(line);
      };
      const waiter: Waiter = { matches, found: end };
      const deadline = setTimeout(end, deadlineMillis);
      this.#waiters.add(waiter);
    });
  }

  /** How many ticks of the cron have ended in a database. */
  ticksOf(database: unknown): number {
    return this.#ticks.get(database) ?? 0;
  }

  /** Waits until so many have. */
  async ticked(database: string, count: number, deadlineMillis: number): Promise<void> {
    if (this.ticksOf(database) >= count) return;
    const isLast = (line: LogLine) => line.event === 'tick' && this.ticksOf(database) >= count;
    if (await this.#next(isLast, deadlineMillis)) return;
    throw new Error(`the cron did not end in ${database} within ${deadlineMillis} ms`);
  }

  /** All lines so far that have all of `fields`, oldest first. */
  all(fields: LogLine): LogLine[] {
    return this.#lines.filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
  }
}

/** A line of ours is a JSON object; anything else, say the runtime's own words, becomes `message`. */
function parse(level: string, message: string): LogLine {
  try {
    const line: unknown = JSON.parse(message);
    if (typeof line === 'object' && line !== null) return line as LogLine;
  } catch {
    // Not JSON: falls through.
  }
  return { level, message };
}
