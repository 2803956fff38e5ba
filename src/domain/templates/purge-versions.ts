import { and, isNotNull, lt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isForgotten } from '../notifications/purge-notifications.ts';
import { notifications } from '../notifications/table.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { templateVersions } from './table.ts';

/**
 * Cron task: deletes versions of templates that no pass shows any more, because a later one was published so long ago
 * that the publication is forgotten, too. A pass shows the published version, or a newer one with which it was created.
 */
export async function purgeVersions(ctx: Context, now = Date.now()): Promise<void> {
  const { templateId, version } = templateVersions;
  const isEarlier = and(sql`${templateId} = ${notifications.templateId}`, lt(version, notifications.version));
  const old = sql`select ${templateVersions}.rowid from ${notifications} cross join ${templateVersions} on ${isEarlier}
    where ${and(isForgotten(now), isNotNull(notifications.version))} limit ${PAGE_ROWS}`;
  await inPages(async () => (await ctx.db.delete(templateVersions).where(sql`rowid in (${old})`)).meta.changes);
}
