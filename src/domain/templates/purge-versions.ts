import { and, isNotNull, lt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isForgotten } from '../notifications/purge-notifications.ts';
import { notifications } from '../notifications/table.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { templateVersions } from './table.ts';

/**
 * Cron task: deletes template versions that no pass shows any more, once a later publication is so old that it is
 * purged too. A pass shows the published version, or the newer one that it was created with.
 */
export async function purgeVersions(ctx: Context, now = Date.now()): Promise<void> {
  const { templateId, version } = templateVersions;
  const isEarlier = and(sql`${templateId} = ${notifications.templateId}`, lt(version, notifications.version));
  const old = sql`select ${templateVersions}.rowid from ${notifications} cross join ${templateVersions} on ${isEarlier}
    where ${and(isForgotten(now), isNotNull(notifications.version))} limit ${PAGE_ROWS}`;
  await runInPages(async () => (await ctx.db.delete(templateVersions).where(sql`rowid in (${old})`)).meta.changes);
}
