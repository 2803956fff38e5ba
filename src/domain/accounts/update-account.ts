import { eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type Account, accounts } from './table.ts';

/** Changes settings of the account; what is absent stays. Counts from the next request. */
export async function updateAccount(
  ctx: AccountContext,
  settings: Partial<Omit<Account, 'id' | 'parentAccountId' | 'maxActivePasses' | 'hasWebhooks' | 'createdAt'>>,
): Promise<void> {
  await ctx.db.update(accounts).set(settings).where(eq(accounts.id, ctx.account.id));
}
