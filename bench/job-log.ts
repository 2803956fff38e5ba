import { setTimeout } from 'node:timers/promises';
import { Problem } from '../scripts/settings.ts';

/** Longer than a log line takes to reach this process. */
const QUIET_MS = 500;

/** Collects the cost that the product's jobs log. */
export class JobLog {
  #lines: { rowsRead: number; rowsWritten: number }[] = [];

  take = (text: string): void => {
    if (!text.includes('"event":"job"')) return;
    const line = JSON.parse(text) as { rowsRead: number; rowsWritten: number; status: string; error?: string };
    if (line.status !== 'done') throw new Problem(`A job has failed: ${line.error}`);
    this.#lines.push(line);
  };

  clear(): void {
    this.#lines = [];
  }

  /** Waits until the jobs have logged everything. */
  async settle(): Promise<void> {
    for (let lines = -1; lines !== this.#lines.length; ) {
      lines = this.#lines.length;
      await setTimeout(QUIET_MS);
    }
  }

  sum(): { rowsRead: number; rowsWritten: number } {
    const of = (name: 'rowsRead' | 'rowsWritten') => this.#lines.reduce((sum, line) => sum + line[name], 0);
    return { rowsRead: of('rowsRead'), rowsWritten: of('rowsWritten') };
  }
}
