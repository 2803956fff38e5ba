import { and, not, sql } from 'drizzle-orm';
import { findEntry, isEntered, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { newId, writeOnce } from '../write-once.ts';
import { getPushSubscription, isOwnSubscription, webhookTarget } from './find-subscription.ts';
import { newSecret, SECRET_OVERLAP_MS, seal, unseal } from './secrets.ts';
import { webhookSubscriptions } from './table.ts';

export interface RotatedSecret {
  secret: string;
  /** The previous secret also signs until this time, UTC milliseconds. */
  previousUntilAt: number;
}

/**
 * Rotates the secret of a subscription. For a day, deliveries carry a signature of each secret, so the receiver can
 * switch at any time. Throws not found, and `invalid` in pull mode.
 */
export async function rotateSecret(ctx: AccountContext, id: string): Promise<RotatedSecret> {
  await getPushSubscription(ctx, id);
  const secret = newSecret();
  const previousUntilAt = Date.now() + SECRET_OVERLAP_MS;
  const entryId = newId(ctx, 'rotation-entry');
  const sealed = await seal(ctx.env, id, secret);
  // The entry is written after the update and prevents a second rotation with the same key, which would end the secret
  // that receivers still use.
  const update = () =>
    ctx.db
      .update(webhookSubscriptions)
      .set({
        secretSealed: sealed,
        previousSecretSealed: sql`${webhookSubscriptions.secretSealed}`,
        previousSecretUntilAt: previousUntilAt,
      })
      .where(and(isOwnSubscription(ctx, id), not(isEntered(ctx, entryId))))
      .returning({ id: webhookSubscriptions.id });
  const action = { id: entryId, action: 'webhook.rotate_secret', target: webhookTarget(ctx, id) } as const;
  const find = async () => ((await findEntry(ctx, entryId)) ? shownSecret(ctx, id) : undefined);
  return writeOnce(ctx, find, async () => {
    const [rotated] = await ctx.db.batch([update(), recordAction(ctx, action)]);
    if (rotated.length > 0) return { secret, previousUntilAt };
    const done = await find();
    if (!done) throw notFound();
    return done;
  });
}

async function shownSecret(ctx: AccountContext, id: string): Promise<RotatedSecret> {
  const { secretSealed, previousSecretUntilAt } = await getPushSubscription(ctx, id);
  return { secret: unseal(ctx.env, id, secretSealed), previousUntilAt: previousSecretUntilAt ?? Date.now() };
}
