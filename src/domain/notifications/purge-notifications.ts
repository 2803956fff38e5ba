import { and, isNull, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { templateVersions } from '../templates/table.ts';
import { notifications } from './table.ts';

/** Days that executed notifications are listed, the same as in the audit log. */
export const NOTIFICATION_RETENTION_DAYS = 400;

const DAY_MS = 24 * 60 * 60_000;

/** Returns SQL for notifications that were executed too long ago to be listed. */
export function isForgotten(now: number) {
  return and(lte(notifications.executedAt, now - NOTIFICATION_RETENTION_DAYS * DAY_MS), isNull(notifications.dueAt))!;
}

/**
 * Cron task: deletes executed notifications after their retention. A publication stays until the versions before it are
 * deleted, because it marks them as old (`templates/purge-versions.ts`).
 */
export async function purgeNotifications(ctx: Context, now = Date.now()): Promise<void> {
  const hasEarlier = sql`exists (select 1 from ${templateVersions}
    where ${templateVersions.templateId} = ${notifications.templateId} and ${templateVersions.version} < ${notifications.version})`;
  await purge(ctx, notifications, and(isForgotten(now), sql`not ${hasEarlier}`)!);
}
