import { eq, type SQL } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { deadLetters } from './table.ts';

/**
 * The condition of the letters that a context reaches: those of its account, or, for the operator, who acts for none,
 * all of them.
 */
export function withinReach(ctx: Context | AccountContext): SQL | undefined {
  return 'account' in ctx ? eq(deadLetters.accountId, ctx.account.id) : undefined;
}
