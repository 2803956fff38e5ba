import { type Column, sql } from 'drizzle-orm';
import { accountDeletions } from '../../domain/accounts/table.ts';
import { certificates } from '../../domain/certificates/table.ts';
import type { Context } from '../../domain/context.ts';
import { forEachDatabase } from '../../domain/databases/list-databases.ts';
import { deadLetters } from '../../domain/dead-letters/table.ts';
import { imageChecks } from '../../domain/images/table.ts';
import { messages } from '../../domain/messages/table.ts';
import { notifications } from '../../domain/notifications/table.ts';
import { passErasures, passTombstones } from '../../domain/passes/table.ts';
import { pendingPushes, pushFanOuts, pushPages } from '../../domain/pushes/table.ts';
import { accountQuotas } from '../../domain/quotas/table.ts';
import { uniquePropertyChanges } from '../../domain/templates/table.ts';
import { webhookDeliveries, webhookSubscriptions } from '../../domain/webhooks/table.ts';
import { rawStatement } from '../../platform/raw-statement.ts';

/**
 * Columns that hold the time of pending work. Work that depends on the age of rows runs once a day and isn't listed.
 */
export const DUE: Column[] = [
  accountDeletions.dueAt,
  accountQuotas.notifyAt,
  certificates.refreshAt,
  certificates.warnAt,
  deadLetters.dueAt,
  imageChecks.dueAt,
  messages.dueAt,
  notifications.dueAt,
  passErasures.dueAt,
  passTombstones.googleDueAt,
  pendingPushes.dueAt,
  pushFanOuts.dueAt,
  pushPages.dueAt,
  uniquePropertyChanges.dueAt,
  webhookDeliveries.nextAttemptAt,
  webhookSubscriptions.notifyOwnerAt,
];

/** Returns the next due time after `after` in any database, or undefined if nothing waits. */
export async function nextDueAt(ctx: Context, after: number): Promise<number | undefined> {
  const each = DUE.map((column) => sql`(select min(${column}) from ${column.table} where ${column} > ${after})`);
  const all = sql`select json_array(${sql.join(each, sql`, `)}) as times`;
  const found = await forEachDatabase(ctx, ({ db }) => rawStatement<{ times: string }>(db, all));
  const times = found.flat().flatMap((row) => JSON.parse(row.times) as (number | null)[]);
  const known = times.filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : undefined;
}
