import type { AccountContext } from '../context.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import type { PersonOperation, ProcessItem } from './process-state.ts';
import type { Range } from './range-store.ts';

/** Items of a process about a person. */
export interface PersonRange {
  processId: string;
  range: Range;
  /** Number of this attempt at the range. */
  claim: number;
  items: ProcessItem[];
  /** Keeps what the items come to, in case this attempt ends in the middle. */
  note(noted: NotedOutcome): Promise<void>;
}

/** What processes about persons do; each part may run several times, and a repeat finds what is left. */
export interface PersonWork {
  /** What is done once, before the first pass. `isKnown`: whether the person has passes. */
  begin(
    ctx: AccountContext,
    operation: PersonOperation,
    { isKnown }: { isKnown: boolean },
  ): Promise<Outcome | undefined>;
  /** What is done to passes. Throws when it is to be tried again. */
  apply(
    ctx: AccountContext,
    operation: PersonOperation,
    range: PersonRange,
  ): Promise<{ failed: FailedItem[]; outcome?: Outcome }>;
}
