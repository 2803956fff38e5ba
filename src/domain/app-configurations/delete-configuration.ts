import { and, eq, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { JobOf } from '../jobs.ts';
import { isNotCopy } from '../moved.ts';
import { ownConfigurations } from './find-configuration.ts';
import { isOfManageable } from './restricted.ts';
import { appConfigurationLinks, appConfigurations } from './table.ts';

/**
 * Deletes a configuration and its links at once; a job deletes its scans. Of several simultaneous calls only one
 * deletes it. One round trip. Throws not found.
 */
export async function deleteConfiguration(ctx: AccountContext, id: string): Promise<void> {
  const target = { type: 'app_configuration', id, name: sql`${appConfigurations.name}` };
  const isTarget = and(eq(appConfigurations.id, id), ownConfigurations(ctx));
  const ofIt = and(
    eq(appConfigurationLinks.configurationId, id),
    eq(appConfigurationLinks.accountId, ctx.account.id),
    isOfManageable(ctx, id),
  );
  await enterOnce(ctx, `delete configuration ${id}`, async (entryId) => {
    const action = { id: entryId, action: 'app_configuration.delete', target, from: appConfigurations } as const;
    const statements = [
      recordAction(ctx, action, isTarget),
      ctx.db.update(appConfigurations).set({ deletedAt: Date.now() }).where(isTarget).returning(NAMED),
      ctx.db.delete(appConfigurationLinks).where(ofIt),
    ] as const;
    const [, deleted] = await commit(ctx, statements, ([, found]) => found.map(deletionJob));
    if (deleted.length === 0) throw notFound();
  });
}

const NAMED = { accountId: appConfigurations.accountId, configurationId: appConfigurations.id };

/** Identifies a configuration of an account. */
export type NamedConfiguration = { accountId: string; configurationId: string };

function deletionJob(named: NamedConfiguration): JobOf<'delete-app-scans'> {
  return { type: 'delete-app-scans', ...named };
}

function isDeletedOne({ accountId, configurationId }: NamedConfiguration) {
  const { id, accountId: owner, deletedAt } = appConfigurations;
  return and(eq(id, configurationId), eq(owner, accountId), isNotNull(deletedAt));
}

/** Builds the condition that a configuration is deleted and its row still exists. */
export function isDeleted(named: NamedConfiguration): SQL {
  return sql`exists (select 1 from ${appConfigurations} where ${isDeletedOne(named)})`;
}

/** Builds the statement that removes a deleted configuration once its scans are gone. */
export function endDeletion(ctx: Context, named: NamedConfiguration) {
  return ctx.db.delete(appConfigurations).where(isDeletedOne(named));
}

/** Time without progress after which a deletion counts as abandoned: its message was lost, or failed permanently. */
const ABANDONED_MS = 15 * 60_000;
/** The maximum number of messages that the queue takes at once (Cloudflare, Queues limits). */
const RESUMED_MAX = 100;

/** Cron task: resumes abandoned deletions. One statement claims them, so concurrent crons don't resume the same one. */
export async function resumeConfigurationDeletions(ctx: Context, now = Date.now()): Promise<void> {
  const abandoned = ctx.db
    .select({ id: appConfigurations.id })
    .from(appConfigurations)
    .where(sql`${lt(appConfigurations.deletedAt, now - ABANDONED_MS)} and ${isNotCopy(appConfigurations.accountId)}`)
    .limit(RESUMED_MAX);
  const claim = ctx.db
    .update(appConfigurations)
    .set({ deletedAt: now })
    .where(inArray(appConfigurations.id, abandoned))
    .returning(NAMED);
  await commit(ctx, [claim], ([claimed]) => claimed.map(deletionJob));
}
