import type { Processors } from './processors.ts';
import type { Effort } from './rounds.ts';

/** Options of every part of the benchmark. */
export interface BenchOptions extends Effort {
  /** Passes of the template. */
  rows: number;
  /** Active passes that a push is fanned out to. */
  active: number;
  /** Folder of this run. */
  folder: string;
  processors?: Processors;
  say(text: string): void;
}
