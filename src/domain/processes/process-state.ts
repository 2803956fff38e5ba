import type { Account } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import type { Issue } from '../errors.ts';
import type { PersonMatch } from '../search/persons.ts';

/** What a process does to each of its items. */
export type Operation =
  | {
      kind: 'update';
      /** See `Update`. */
      mode: 'replace' | 'patch';
      /** Fields for all items; absent when each item brings its own. */
      data?: Record<string, unknown>;
    }
  | { kind: 'create'; templateId: string }
  | PersonOperation;

/** What a process does with the passes of a person. */
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

/** What is known of a process when it starts, and never changes. The process acts as its account was then. */
export interface ProcessFacts {
  id: string;
  account: Account;
  baseUrl: string;
  operation: Operation;
  /** Selects the passes, as it was sent; absent when they were named. */
  query?: Record<string, unknown>;
  /** Items that are applied together, as a queue message names them. */
  rangeItems: number;
  createdAt: number;
  /** Who has started it, for the audit log; absent in processes of earlier releases. */
  starter?: Pick<Context, 'actor' | 'ip' | 'requestId'> & { entryId: string };
}

/** One pass to change or to create. */
export interface ProcessItem {
  seq: number;
  /** What names the item in `errors`; for an update also what names its pass. */
  key: string;
  data?: Record<string, unknown>;
  /** Identifier of the pass to create. */
  passId?: string;
  /** Why it has failed before, as `FailureStore` keeps it; only on items of a retry. */
  failure?: string;
}

/** A process as its caller sees it. */
export interface ProcessState {
  kind: Operation['kind'];
  /** Template of the passes to create; null for an update. */
  templateId: string | null;
  /** Items processed so far, failed ones among them. */
  current: number;
  total: number;
  failed: number;
  /** Passes that a cancellation has left untouched. */
  cancelled: number;
  createdAt: number;
  finishedAt: number | null;
  /** What is wrong by item; at most `ERRORS_SHOWN_MAX`. */
  errors: Record<string, Issue[]>;
  /** What it has come to, in numbers by name; absent: it says no more than its counts. */
  result?: Record<string, number>;
}

/** How many failed items a process shows; as many as a request can name. */
export const ERRORS_SHOWN_MAX = 10_000;

/** Most items of a range: a few D1 batches, a few hundred kilobytes, and a failure that is soon isolated. */
export const RANGE_ITEMS_MAX = 100;

/** Most characters of values that a range brings; a row of an object's storage holds 2 MB. */
export const RANGE_CHARS_MAX = 500_000;
