import { eq } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { templatesSignedBy } from '../certificates/manage-certificates.ts';
import { claimRenewals, type Renewal, settleRenewal } from '../certificates/renewals.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { templates } from '../templates/table.ts';
import { beginRefreshFanOuts } from './begin-fan-out.ts';

/** Statements of one batch. */
const STATEMENTS_MAX = 50;

/**
 * Notifies all wallets of an account's passes after a restore of the database, which no change of a pass shows. Devices
 * ask which of their passes changed; Google gets every object. Returns the number of fan-outs begun, at most two per
 * template.
 */
export async function refreshWallets(ctx: AccountContext): Promise<number> {
  const { id: accountId } = ctx.account;
  const own = await ctx.db.select({ id: templates.id }).from(templates).where(eq(templates.accountId, accountId));
  let begun = 0;
  for (const some of slicesOf(own, STATEMENTS_MAX / 2)) {
    const statements = some.flatMap(({ id }) => beginRefreshFanOuts(ctx, accountId, id));
    begun += (await commit(ctx, statements)).flat().length;
  }
  return begun;
}

/**
 * Cron task: asks devices to fetch the passes of renewed certificates, whose files have a new signature. A run that
 * dies is repeated; devices that asked in the meantime find nothing new.
 */
export async function refreshRenewed(ctx: Context, now = Date.now()): Promise<void> {
  for (const renewal of await claimRenewals(ctx, now)) await refresh(ctx, renewal);
}

async function refresh(ctx: Context, renewal: Renewal): Promise<void> {
  const { id, accountId } = renewal;
  for (const some of slicesOf(await templatesSignedBy(ctx, accountId, id), STATEMENTS_MAX)) {
    // Objects at Google have no signature, so only Apple devices are notified.
    const statements = some.map((templateId) => beginRefreshFanOuts(ctx, accountId, templateId)[0]);
    await commit(ctx, statements);
  }
  await settleRenewal(ctx, renewal);
}
