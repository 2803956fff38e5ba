import type { AccountContext } from '../context.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import type { NotedOutcome, Outcome } from './outcome-store.ts';
import type { PersonOperation, ProcessItem, UniqueOperation } from './process-state.ts';
import type { Range } from './range-store.ts';

/** Items of a process about a person. */
export interface PersonRange {
  processId: string;
  range: Range;
  /** Number of this attempt at the range. */
  claim: number;
  items: ProcessItem[];
  /** Stores the counts of the items, in case this attempt is interrupted. */
  note(noted: NotedOutcome): Promise<void>;
}

/** Work of processes about persons. Each part may run several times; a repeat finds only what is left. */
export interface PersonWork {
  /** Runs before the first pass. `isKnown`: whether the person has passes. */
  begin(
    ctx: AccountContext,
    operation: PersonOperation,
    person: { processId: string; isKnown: boolean },
  ): Promise<Outcome | undefined>;
  /** Processes passes. Throws to have the range retried. */
  apply(
    ctx: AccountContext,
    operation: PersonOperation,
    range: PersonRange,
  ): Promise<{ failed: FailedItem[]; outcome?: Outcome }>;
}

/** Progress of the claims for properties that become unique, or why they can't continue. */
export type ClaimProgress =
  | {
      /** Number of passes whose values are claimed. */
      claimed: number;
      /** The last of them; empty: none, or all are claimed. */
      after: string;
      isLast: boolean;
    }
  /** Messages by the name of the property. */
  | { errors: Record<string, string> };

/**
 * Claims the values of the next page of passes. A repeated or simultaneous call claims another page, or returns the
 * progress.
 */
export type ClaimWork = (ctx: AccountContext, processId: string, operation: UniqueOperation) => Promise<ClaimProgress>;
