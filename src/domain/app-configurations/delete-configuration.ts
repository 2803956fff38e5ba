import { and, eq, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import { type AccountContext, type Context, enqueue, enqueueOrLog } from '../context.ts';
import { notFound } from '../errors.ts';
import { ownConfigurations } from './find-configuration.ts';
import { appConfigurationLinks, appConfigurations } from './table.ts';

/**
 * Deletes a configuration: it and its links are gone at once, its scans follow by the queue. Of several simultaneous
 * calls one deletes. One round trip. Throws not found.
 */
export async function deleteConfiguration(ctx: AccountContext, id: string): Promise<void> {
  const target = { type: 'app_configuration', id, name: sql`${appConfigurations.name}` };
  const isIt = and(eq(appConfigurations.id, id), ownConfigurations(ctx));
  const [, deleted] = await ctx.db.batch([
    recordAction(ctx, { action: 'app_configuration.delete', target, from: appConfigurations }, isIt),
    ctx.db.update(appConfigurations).set({ deletedAt: Date.now() }).where(isIt).returning({ id: appConfigurations.id }),
    ctx.db
      .delete(appConfigurationLinks)
      .where(and(eq(appConfigurationLinks.configurationId, id), eq(appConfigurationLinks.accountId, ctx.account.id))),
  ]);
  if (deleted.length === 0) throw notFound();
  await enqueueOrLog(ctx, [{ type: 'delete-app-scans', configurationId: id }]);
}

/** SQL that holds while a configuration is deleted and its row still stands. */
export function isDeleted(configurationId: string): SQL {
  const deleted = and(eq(appConfigurations.id, configurationId), isNotNull(appConfigurations.deletedAt));
  return sql`exists (select 1 from ${appConfigurations} where ${deleted})`;
}

/** The statement that removes a deleted configuration once its scans are gone. */
export function endDeletion(ctx: Context, configurationId: string) {
  return ctx.db
    .delete(appConfigurations)
    .where(and(eq(appConfigurations.id, configurationId), isNotNull(appConfigurations.deletedAt)));
}

/** How long a deletion may stand still before it counts as abandoned: its message got lost, or failed for good. */
const STANDSTILL_MS = 15 * 60_000;
/** The queue takes as many messages at once (Cloudflare, Queues limits). */
const RESUMED_MAX = 100;

/** Cron task: resumes abandoned deletions. One statement claims them, so of two crons one resumes each. */
export async function resumeConfigurationDeletions(ctx: Context, now = Date.now()): Promise<void> {
  const abandoned = ctx.db
    .select({ id: appConfigurations.id })
    .from(appConfigurations)
    .where(lt(appConfigurations.deletedAt, now - STANDSTILL_MS))
    .limit(RESUMED_MAX);
  const claimed = await ctx.db
    .update(appConfigurations)
    .set({ deletedAt: now })
    .where(inArray(appConfigurations.id, abandoned))
    .returning({ id: appConfigurations.id });
  await enqueue(
    ctx,
    claimed.map(({ id }) => ({ type: 'delete-app-scans', configurationId: id })),
  );
}
