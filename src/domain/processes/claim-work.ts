import type { AccountContext } from '../context.ts';
import type { UniqueOperation } from './process-state.ts';

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
