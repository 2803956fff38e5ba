import { describeError, logLine } from '../../platform/log.ts';
import { untilSettled } from '../../platform/with-retries.ts';
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

/** A process that has started. */
export interface StartedProcess {
  id: string;
  state: ProcessState;
}

/** What a process is made of. */
export interface NewProcess {
  operation: ProcessFacts['operation'];
  /** Selects the passes, as it was sent. */
  query?: Record<string, unknown>;
  items: ProcessItem[];
  /** Passes that the query matches. */
  expected?: number;
  /** Most items that are applied together; absent: as many as their values allow. */
  rangeItemsMax?: number;
}

/** What a dry run says of a process that it does not start. */
export interface DryRun {
  /** Passes that are selected. */
  count: number;
  /** Those of them that were looked at. */
  checked: number;
  /** Messages by item; null when nothing would be refused. */
  errors: Record<string, string> | null;
}

/**
 * Bytes of the data and the query of a process together: they share a row of its object, which holds 2 MB (Cloudflare,
 * Durable Objects limits) with what the process knows of its account.
 */
const SHARED_BYTES_MAX = 1.5 * BODY_BYTES_MAX;

/** Passes that a dry run looks at; as many as a request can name. */
export const ITEMS_CHECKED_MAX = 10_000;

/**
 * Starts a process: its object first, which from then on brings it to its end, then its row, without which it stands as
 * well. Throws `too_large` for values of one pass that a single update would not take either, and for a query that a
 * search would not.
 */
export async function startProcess(ctx: AccountContext, process: NewProcess): Promise<StartedProcess> {
  const { operation, query, items, expected = 0, rangeItemsMax = RANGE_ITEMS_MAX } = process;
  const shared = operation.kind === 'update' && operation.data ? checkedSize('data', operation.data) : 0;
  const selecting = query ? checkedSize('filter.query', query) : 0;
  if (shared + selecting > SHARED_BYTES_MAX) {
    throw new DomainError('too_large', `data and filter.query: together are larger than ${SHARED_BYTES_MAX} bytes`);
  }
  for (const { key, data } of items) if (data) checkedSize(`passes "${key}"`, data);
  const facts: ProcessFacts = {
    // The object of that identifier starts once: a repeat of the request finds it at work.
    id: newId(ctx, 'process'),
    account: ctx.account,
    baseUrl: ctx.baseUrl,
    operation,
    query,
    // Values that all items share are written once for each of them.
    rangeItems: Math.max(1, Math.min(rangeItemsMax, Math.floor(RANGE_CHARS_MAX / Math.max(1, shared)))),
    createdAt: Date.now(),
    starter: { actor: ctx.actor, ip: ctx.ip, requestId: ctx.requestId, entryId: newId(ctx, 'process-entry') },
  };
  const state = await processStub(ctx, facts.id).start(JSON.stringify(facts), JSON.stringify(items), expected);
  try {
    // The object writes the row too; whoever comes first makes it.
    await untilSettled(() =>
      ctx.db.batch([
        ctx.db.insert(processes).values(rowOf(facts, state)).onConflictDoNothing(),
        ...startEntry(ctx.db, facts),
      ]),
    );
  } catch (error) {
    // It has started: a caller who got a failure would start another.
    logLine('error', { event: 'process', process: facts.id, step: 'row', error: describeError(error) });
  }
  return { id: facts.id, state };
}

const encoder = new TextEncoder();

/** The size of values as JSON, in bytes. Throws `too_large`, naming them, when no single request could bring them. */
export function checkedSize(what: string, values: Record<string, unknown>): number {
  const bytes = encoder.encode(JSON.stringify(values)).length;
  if (bytes > BODY_BYTES_MAX) throw new DomainError('too_large', `${what}: is larger than ${BODY_BYTES_MAX} bytes`);
  return bytes;
}
