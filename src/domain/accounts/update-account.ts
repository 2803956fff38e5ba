import { eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type Account, accounts } from './table.ts';

/** Changes settings of the account; what is absent stays. Counts from the next request. */
export async function updateAccount(
  ctx: AccountContext,
  settings: Partial<
    Pick<
      Account,
      'name' | 'timezone' | 'language' | 'logoUrl' | 'iconUrl' | 'replyTo' | 'userProvidedLinks' | 'requirePasskey'
    >
  >,
): Promise<void> {
  await ctx.db.update(accounts).set(settings).where(eq(accounts.id, ctx.account.id));
}
