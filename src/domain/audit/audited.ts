import { and, eq } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type AuditOutcome, auditEntries } from './table.ts';

/** Characters of a target that are kept. */
const TARGET_CHARS_MAX = 200;

/** What somebody is about to do. */
export interface Action {
  /** Address of the person. */
  email: string;
  /** `<what>.<verb>`, for example `api_key.create`. */
  action: string;
  /** Name or identifier of what it is done to. */
  target: string;
}

/**
 * Carries out what a person does in the console, and keeps who did it and how it went. Returns and throws what the work
 * does, whether its outcome could be noted or not. Two round trips beside it.
 */
export async function audited<T>(
  ctx: AccountContext,
  { email, action, target }: Action,
  work: () => Promise<T>,
): Promise<T> {
  const now = Date.now();
  const id = uuidv7(shardOf(ctx.account.id), now);
  const kept = target.slice(0, TARGET_CHARS_MAX);
  await ctx.db
    .insert(auditEntries)
    .values({ id, accountId: ctx.account.id, email, action, target: kept, createdAt: now });
  const end = async (outcome: AuditOutcome) => {
    try {
      await ctx.db
        .update(auditEntries)
        .set({ outcome })
        .where(and(eq(auditEntries.id, id), eq(auditEntries.accountId, ctx.account.id)));
    } catch (error) {
      // The work is done, or has failed, all the same; its entry says that the end was not seen.
      logLine('error', { event: 'audit', requestId: ctx.requestId, entry: id, outcome, error: describeError(error) });
    }
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await end(error instanceof DomainError ? 'refused' : 'failed');
    throw error;
  }
  await end('done');
  return result;
}
