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

  /** Adds what the Worker has just logged. */
  add({ level, message }: RuntimeLine): void {
    const line = parse(level, message);
    // What `recorded-worker.ts` says is nothing that the service logs.
    if (typeof line.statement === 'string') {
      recordStatement(line.statement);
      return;
    }
    this.#lines.push(line);
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
    if (known) return Promise.resolve(known);
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
