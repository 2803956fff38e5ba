import { eq, type SQL } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { deadLetters } from './table.ts';

/** Returns the condition for the dead letters that a context may see: those of its account, or all for an operator. */
export function isOwnDeadLetter(ctx: Context | AccountContext): SQL | undefined {
  return 'account' in ctx ? eq(deadLetters.accountId, ctx.account.id) : undefined;
}
