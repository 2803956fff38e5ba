import { slicesOf } from '../../platform/chunks.ts';
import { templatesSignedBy } from '../certificates/manage-certificates.ts';
import { claimRenewals, type Renewal, settleRenewal } from '../certificates/renewals.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { beginRefreshFanOuts } from './begin-fan-out.ts';

/** Templates of one batch. */
const TEMPLATES_MAX = 50;

/**
 * Cron task: asks devices to fetch the passes of renewed certificates, whose files have a new signature. A run that
 * dies is repeated; devices that asked in the meantime find nothing new.
 */
export async function refreshRenewed(ctx: Context, now = Date.now()): Promise<void> {
  for (const renewal of await claimRenewals(ctx, now)) await refresh(ctx, renewal);
}

async function refresh(ctx: Context, renewal: Renewal): Promise<void> {
  const { id, accountId } = renewal;
  for (const some of slicesOf(await templatesSignedBy(ctx, accountId, id), TEMPLATES_MAX)) {
    // Objects at Google have no signature, so only Apple devices are notified.
    await commit(
      ctx,
      some.map((templateId) => beginRefreshFanOuts(ctx, accountId, templateId)[0]),
    );
  }
  await settleRenewal(ctx, renewal);
}
