import type { Account } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import type { Issue } from '../errors.ts';
import type { PersonMatch } from '../search/persons.ts';

/** Operation of a process on each of its items. */
export type Operation =
  | {
      kind: 'update';
      /** See `Update`. */
      mode: 'replace' | 'patch';
      /** Fields for all items; absent if each item has its own. */
      data?: Record<string, unknown>;
    }
  | { kind: 'create'; templateId: string }
  | UniqueOperation
  | PersonOperation;

/** Operation of a process that claims the values of all passes of a template for properties that become unique. */
export interface UniqueOperation {
  kind: 'unique';
  templateId: string;
  properties: { id: string; name: string }[];
}

/** Operation of a process on the passes of a person. */
export type PersonOperation =
  | { kind: 'export'; match: PersonMatch }
  | {
      kind: 'erase';
      match: PersonMatch;
      mode: 'delete' | 'anonymize';
      /** Whether it only counts. */
      dryRun: boolean;
    };

/** Whether an operation is about a person. */
export function isPersonal<O extends Pick<Operation, 'kind'>>(operation: O): operation is O & PersonOperation {
  return operation.kind === 'export' || operation.kind === 'erase';
}

/** Whether a process selects its passes itself. */
export function isSelecting({ query, operation }: ProcessFacts): boolean {
  return query !== undefined || operation.kind === 'unique' || isPersonal(operation);
}

/** Facts of a process that are known at the start and never change. It acts as its account was then. */
export interface ProcessFacts {
  id: string;
  account: Account;
  baseUrl: string;
  operation: Operation;
  /** Query that selects the passes, as it was sent; absent if they were named. */
  query?: Record<string, unknown>;
  /** Number of items in a range, which is applied as a unit. */
  rangeItems: number;
  createdAt: number;
  /** Caller that started it, for the audit log; absent in processes of earlier releases. */
  starter?: Pick<Context, 'actor' | 'ip' | 'requestId'> & { entryId: string };
}

/** One pass to change or to create. */
export interface ProcessItem {
  seq: number;
  /** Name of the item in `errors`; for an update also the name of its pass. */
  key: string;
  data?: Record<string, unknown>;
  /** Identifier of the pass to create. */
  passId?: string;
  /** Reason of its earlier failure, in the form of `FailureStore`; only on items of a retry. */
  failure?: string;
}

/** The caller's view of a process. */
export interface ProcessState {
  kind: Operation['kind'];
  /** Template of the passes to create, or whose properties become unique; null for others. */
  templateId: string | null;
  /** Processed items, including failed ones. */
  current: number;
  total: number;
  failed: number;
  /** Passes that weren't processed because of a cancellation. */
  cancelled: number;
  createdAt: number;
  finishedAt: number | null;
  /** Issues by item; at most `ERRORS_SHOWN_MAX` items with `ERRORS_CHARS_MAX` characters. */
  errors: Record<string, Issue[]>;
  /** Results as numbers by name; absent if there are only the counts. */
  result?: Record<string, number>;
}

/** A process after a cancellation. */
export interface CanceledProcess extends ProcessState {
  /** Whether it had ended before. */
  hadEnded: boolean;
  /** Items that this cancellation stopped. */
  stopped: number;
}

/** Number of failed items that a process shows; as many as a request can name. */
export const ERRORS_SHOWN_MAX = 10_000;

/** Characters of the reasons that a process shows: each watcher gets all of them with each state. */
export const ERRORS_CHARS_MAX = 2_000_000;

/**
 * Maximum number of items of a range: a few D1 batches, a few hundred kilobytes, and failures that are isolated soon.
 */
export const RANGE_ITEMS_MAX = 100;

/** Maximum number of characters of the values of a range; a row of an object's storage holds 2 MB. */
export const RANGE_CHARS_MAX = 500_000;
