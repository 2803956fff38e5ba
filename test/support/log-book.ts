import { recordStatement } from './statement-record.ts';
import type { RuntimeLine } from './test-runtime.ts';

/** One JSON line from the Worker's log. */
export type LogLine = Record<string, unknown>;

const LINES_KEPT = 20_000;

interface Waiter {
  matches(line: LogLine): boolean;
  found(line: LogLine): void;
}

/** Records the Worker's log as it is written, and resolves pending searches. */
export class LogBook {
  #lines: LogLine[] = [];
  #waiters = new Set<Waiter>();
  /** Completed ticks of the cron, by database. */
  #ticks = new Map<unknown, number>();

  /** Adds what the Worker just logged. */
  add({ level, message }: RuntimeLine): void {
    const line = parse(level, message);
    // The lines of `recorded-worker.ts` aren't part of the service's log.
    if (typeof line.statement === 'string') {
      recordStatement(line.statement);
      return;
    }
    this.#lines.push(line);
    if (line.event === 'tick') this.#ticks.set(line.database, this.ticksOf(line.database) + 1);
    for (const waiter of this.#waiters) if (waiter.matches(line)) waiter.found(line);
    if (this.#lines.length > LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT / 2);
  }

  /** Waits for a line with all of `fields`, and returns the newest; undefined after `deadlineMillis`. */
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

  /** Returns how many ticks of the cron have ended in a database. */
  ticksOf(database: unknown): number {
    return this.#ticks.get(database) ?? 0;
  }

  /** Waits until this many have. */
  async ticked(database: string, count: number, deadlineMillis: number): Promise<void> {
    if (this.ticksOf(database) >= count) return;
    const isLast = (line: LogLine) => line.event === 'tick' && this.ticksOf(database) >= count;
    if (await this.#next(isLast, deadlineMillis)) return;
    throw new Error(`the cron did not end in ${database} within ${deadlineMillis} ms`);
  }

  /** Returns all lines so far with all of `fields`, oldest first. */
  all(fields: LogLine): LogLine[] {
    return this.#lines.filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
  }
}

/** Parses a line. Ours are JSON objects; anything else, such as the runtime's own messages, becomes `message`. */
function parse(level: string, message: string): LogLine {
  try {
    const line: unknown = JSON.parse(message);
    if (typeof line === 'object' && line !== null) return line as LogLine;
  } catch {
    // Not JSON: falls through.
  }
  return { level, message };
}
