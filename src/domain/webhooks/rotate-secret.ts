import { sql } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { getPushSubscription, isOwnSubscription, webhookTarget } from './find-subscription.ts';
import { newSecret, SECRET_OVERLAP_MS, seal } from './secrets.ts';
import { webhookSubscriptions } from './table.ts';

export interface RotatedSecret {
  secret: string;
  /** Until then the secret before it signs too, UTC milliseconds. */
  previousUntilAt: number;
}

/**
 * Gives a subscription a new secret. For a day deliveries carry a signature of each, so that a receiver can change over
 * at any moment. Throws not found, and `invalid` in pull mode.
 */
export async function rotateSecret(ctx: AccountContext, id: string): Promise<RotatedSecret> {
  await getPushSubscription(ctx, id);
  const secret = newSecret();
  const previousUntilAt = Date.now() + SECRET_OVERLAP_MS;
  const update = ctx.db
    .update(webhookSubscriptions)
    .set({
      secretSealed: await seal(ctx.env, id, secret),
      previousSecretSealed: sql`${webhookSubscriptions.secretSealed}`,
      previousSecretUntilAt: previousUntilAt,
    })
    .where(isOwnSubscription(ctx, id))
    .returning({ id: webhookSubscriptions.id });
  const entry = recordAction(ctx, { action: 'webhook.rotate_secret', target: webhookTarget(ctx, id) });
  const [rotated] = await ctx.db.batch([update, entry]);
  if (rotated.length === 0) throw notFound();
  return { secret, previousUntilAt };
}
