import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { uuidv7 } from '../../platform/ids.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordPersonAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { Email, getUserId } from './invite-user.ts';
import { users } from './table.ts';

/**
 * Makes a person, known or not, an operator of the service, or ends that. An operator sees the state of the service and
 * gets its alerts, but sees nothing of an account. Throws `invalid` for an invalid address, and not found if the person
 * to remove is unknown.
 */
export async function setOperator(ctx: Context, address: string, isOperator: boolean): Promise<{ userId: string }> {
  const email = checked(Email, address) as string;
  if (!isOperator) {
    const userId = await getUserId(ctx, email);
    await ctx.db.batch([
      ctx.db
        .update(users)
        .set({ operatorSince: null })
        .where(and(eq(users.id, userId), isNotNull(users.operatorSince))),
      recordPersonAction(ctx, { action: 'operator.remove' }, userId),
    ]);
    await forwardOwnEntries(ctx);
    return { userId };
  }
  const now = Date.now();
  await ctx.db
    .insert(users)
    .values({ id: uuidv7(0, now), email, createdAt: now })
    .onConflictDoNothing();
  const userId = await getUserId(ctx, email);
  await ctx.db.batch([
    ctx.db
      .update(users)
      .set({ operatorSince: now })
      .where(and(eq(users.id, userId), isNull(users.operatorSince))),
    recordPersonAction(ctx, { action: 'operator.add' }, userId),
  ]);
  await forwardOwnEntries(ctx);
  return { userId };
}
