import type { TestHarness } from 'wrangler';
import { recordStatement } from './statement-record.ts';

/** One JSON line that the Worker logged. */
export type LogLine = Record<string, unknown>;

/** How often the book asks for new lines while a test waits for one; workerd's log has no event to listen to. */
const LOOK_MILLIS = 5;
/** How often it empties the runtime's own log when nobody waits, so that it cannot grow. */
const SWEEP_MILLIS = 1_000;
const LINES_KEPT = 20_000;

interface Waiter {
  matches(line: LogLine): boolean;
  found(line: LogLine): void;
}

/** Reads the Worker's log as it is written, and tells who waits for a line that it has arrived. */
export class LogBook {
  #harness: TestHarness;
  #lines: LogLine[] = [];
  #waiters = new Set<Waiter>();
  #sweep: NodeJS.Timeout;

  constructor(harness: TestHarness) {
    this.#harness = harness;
    this.#sweep = setInterval(() => this.#read(), SWEEP_MILLIS).unref();
  }

  /**
   * The newest line that has all of `fields`, as soon as it is written; undefined when `deadlineMillis` pass without
   * one.
   */
  find(fields: LogLine, deadlineMillis: number): Promise<LogLine | undefined> {
    this.#read();
    const matches = (line: LogLine) => Object.entries(fields).every(([name, value]) => line[name] === value);
    const known = this.#lines.findLast(matches);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const look = setInterval(() => this.#read(), LOOK_MILLIS);
      const end = (line?: LogLine) => {
        clearInterval(look);
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
    this.#read();
    return this.#lines.filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
  }

  close(): void {
    this.#read();
    clearInterval(this.#sweep);
  }

  #read(): void {
    const entries = this.#harness.getLogs();
    if (entries.length === 0) return;
    this.#harness.clearLogs();
    for (const { level, message } of entries) {
      const line = parse(level, message);
      // What `recorded-worker.ts` says is nothing that the service logs.
      if (typeof line.statement === 'string') {
        recordStatement(line.statement);
        continue;
      }
      this.#lines.push(line);
      for (const waiter of this.#waiters) if (waiter.matches(line)) waiter.found(line);
    }
    if (this.#lines.length > LINES_KEPT) this.#lines = this.#lines.slice(-LINES_KEPT / 2);
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
