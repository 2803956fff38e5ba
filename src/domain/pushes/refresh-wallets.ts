import { eq } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { templates } from '../templates/table.ts';
import { beginRefreshFanOuts } from './begin-fan-out.ts';

/** Templates of one batch, with two statements each. */
const TEMPLATES_MAX = 25;

/**
 * Notifies all wallets of an account's passes after a restore of the database, which no change of a pass shows. Devices
 * ask which of their passes changed; Google gets every object. Returns the number of fan-outs begun, at most two per
 * template.
 */
export async function refreshWallets(ctx: AccountContext): Promise<number> {
  const { id: accountId } = ctx.account;
  const own = await ctx.db.select({ id: templates.id }).from(templates).where(eq(templates.accountId, accountId));
  let begun = 0;
  for (const some of slicesOf(own, TEMPLATES_MAX)) {
    const statements = some.flatMap(({ id }) => beginRefreshFanOuts(ctx, accountId, id));
    begun += (await commit(ctx, statements)).flat().length;
  }
  return begun;
}
