import { and, isNull, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { templateVersions } from '../templates/table.ts';
import { notifications } from './table.ts';

/** For how long a list tells what was pushed and published; as long as the audit log. */
export const NOTIFICATION_RETENTION_DAYS = 400;

const DAY_MS = 24 * 60 * 60_000;

/** SQL for notifications that were executed so long ago that nobody sees them any more. */
export function isForgotten(now: number) {
  return and(lte(notifications.executedAt, now - NOTIFICATION_RETENTION_DAYS * DAY_MS), isNull(notifications.dueAt))!;
}

/**
 * Cron task: deletes executed notifications after their retention. A publication stays until the versions before it are
 * gone, because it says that they are old (`templates/purge-versions.ts`).
 */
export async function purgeNotifications(ctx: Context, now = Date.now()): Promise<void> {
  const hasEarlier = sql`exists (select 1 from ${templateVersions}
    where ${templateVersions.templateId} = ${notifications.templateId} and ${templateVersions.version} < ${notifications.version})`;
  await purge(ctx, notifications, and(isForgotten(now), sql`not ${hasEarlier}`)!);
}
