import { and, eq, sql } from 'drizzle-orm';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { newId } from '../write-once.ts';
import { apiKeys } from './table.ts';

/** Activates or deactivates a key of the account, from the next request on. Throws `not_found`. */
export async function setApiKeyActive(ctx: AccountContext, apiKeyId: string, active: boolean): Promise<void> {
  const isTarget = and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id));
  const action = active ? 'api_key.activate' : 'api_key.deactivate';
  const target = { type: 'api_key', id: apiKeyId, name: sql`${apiKeys.name}` };
  const changes = columnChanges(apiKeys, { active });
  const [, changed] = await ctx.db.batch([
    recordAction(ctx, { id: newId(ctx, `${action} ${apiKeyId}`), action, target, changes, from: apiKeys }, isTarget),
    ctx.db.update(apiKeys).set({ active }).where(isTarget).returning({ id: apiKeys.id }),
  ]);
  if (changed.length === 0) throw notFound();
}
