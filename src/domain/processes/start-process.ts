import { describeError, logLine } from '../../platform/log.ts';
import { retryUntilSettled } from '../../platform/transient-error.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { BODY_BYTES_MAX } from '../limits.ts';
import { newId } from '../write-once.ts';
import { rowOf, startEntry } from './mirror-process.ts';
import {
  type ProcessFacts,
  type ProcessItem,
  type ProcessState,
  RANGE_CHARS_MAX,
  RANGE_ITEMS_MAX,
} from './process-state.ts';
import { processStub } from './process-stub.ts';
import { processes } from './table.ts';

/** A started process. */
export interface StartedProcess {
  id: string;
  state: ProcessState;
}

/** Input of a new process. */
export interface NewProcess {
  /** Identifier, if the caller has stored it; absent: that of the request. */
  id?: string;
  operation: ProcessFacts['operation'];
  /** Query that selects the passes, as it was sent. */
  query?: Record<string, unknown>;
  items: ProcessItem[];
  /** Number of passes that the query matches. */
  expected?: number;
  /** Maximum number of items in a range; absent: as many as their values allow. */
  rangeItemsMax?: number;
}

/** Result of a dry run of a process. */
export interface DryRun {
  /** Number of selected passes. */
  count: number;
  /** Number of checked passes. */
  checked: number;
  /** Messages by item; null if everything would be accepted. */
  errors: Record<string, string> | null;
}

/**
 * Maximum size of the data and the query together, in bytes. They share a row of the object with the account, and a row
 * holds 2 MB (Cloudflare, Durable Objects limits).
 */
const SHARED_BYTES_MAX = 1.5 * BODY_BYTES_MAX;

/** Maximum number of passes that a dry run checks; as many as a request can name. */
export const ITEMS_CHECKED_MAX = 10_000;

/**
 * Starts a process: first its object, which completes it even without a row, then its row. Throws `too_large` for
 * values of one pass that a single update wouldn't accept, and for a query that a search wouldn't.
 */
export async function startProcess(ctx: AccountContext, process: NewProcess): Promise<StartedProcess> {
  const { operation, query, items, expected = 0, rangeItemsMax = RANGE_ITEMS_MAX } = process;
  const shared = operation.kind === 'update' && operation.data ? checkSize('data', operation.data) : 0;
  const selecting = query ? checkSize('filter.query', query) : 0;
  if (shared + selecting > SHARED_BYTES_MAX) {
    throw new DomainError('too_large', `data and filter.query: together are larger than ${SHARED_BYTES_MAX} bytes`);
  }
  for (const { key, data } of items) if (data) checkSize(`passes "${key}"`, data);
  const facts: ProcessFacts = {
    // The object of that identifier starts once: a repeated request finds it running.
    id: process.id ?? newId(ctx, 'process'),
    account: ctx.account,
    baseUrl: ctx.baseUrl,
    operation,
    query,
    // Shared values are written once per item.
    rangeItems: Math.max(1, Math.min(rangeItemsMax, Math.floor(RANGE_CHARS_MAX / Math.max(1, shared)))),
    createdAt: Date.now(),
    starter: { actor: ctx.actor, ip: ctx.ip, requestId: ctx.requestId, entryId: newId(ctx, 'process-entry') },
  };
  const state = await processStub(ctx, facts.id).start(JSON.stringify(facts), JSON.stringify(items), expected);
  try {
    // The object writes the row too; the first of the two creates it.
    await retryUntilSettled(() =>
      ctx.db.batch([
        ctx.db.insert(processes).values(rowOf(facts, state)).onConflictDoNothing(),
        ...startEntry(ctx.db, facts),
      ]),
    );
  } catch (error) {
    // The process has started: after an error, the caller would start another one.
    logLine('error', { event: 'process', process: facts.id, step: 'row', error: describeError(error) });
  }
  return { id: facts.id, state };
}

const encoder = new TextEncoder();

/**
 * Returns the size of values as JSON, in bytes. Throws `too_large`, naming them, if no single request could contain
 * them.
 */
export function checkSize(what: string, values: Record<string, unknown>): number {
  const bytes = encoder.encode(JSON.stringify(values)).length;
  if (bytes > BODY_BYTES_MAX) throw new DomainError('too_large', `${what}: is larger than ${BODY_BYTES_MAX} bytes`);
  return bytes;
}
