import { eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { accountContacts } from '../accounts/table.ts';
import { apiKeys } from '../api-keys/table.ts';
import { appConfigurationLinks, appConfigurations } from '../app-configurations/table.ts';
import { appScans } from '../app-scans/table.ts';
import { auditEntries } from '../audit/table.ts';
import { certificateRequests, certificates, googleIssuers } from '../certificates/table.ts';
import type { Context } from '../context.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { earlierEvents, events } from '../events/table.ts';
import { idempotencyKeys, replySubjects } from '../idempotency/table.ts';
import { messages } from '../messages/table.ts';
import { notifications } from '../notifications/table.ts';
import { activePassCounts, bundleLinks, passErasures, passTombstones } from '../passes/table.ts';
import { projects } from '../projects/table.ts';
import { pageOf } from '../purge.ts';
import { earlierPendingPushes, pendingPushes, pushFanOuts, pushPages } from '../pushes/table.ts';
import { accountQuotas } from '../quotas/table.ts';
import { registrations, takenCallbacks } from '../registrations/table.ts';
import { segments } from '../search/table.ts';
import { signingKeys } from '../signing-keys/table.ts';
import { dailyCounts, hourlyCounts } from '../statistics/table.ts';
import {
  customNumbers,
  templateDeletions,
  templates,
  templateVersions,
  uniquePropertyChanges,
} from '../templates/table.ts';
import {
  earlierDeliveries,
  webhookDeliveries,
  webhookPayloadCounts,
  webhookPayloads,
  webhookSubscriptions,
} from '../webhooks/table.ts';

/*
 * The rows of an account, by table. All rules of its features end with the account, so one statement per table deletes
 * them instead of each feature's functions. A test checks that each table is listed here or belongs to no account.
 */

/** Rows of a table that belong to an account. */
export interface AccountRows {
  table: SQLiteTable;
  of(accountId: string): SQL;
}

const own = (table: SQLiteTable & { accountId: SQLiteColumn }): AccountRows => ({
  table,
  of: (accountId) => eq(table.accountId, accountId),
});

/** Builds an entry for rows that reference a row of the account instead of the account itself. */
const below = (
  column: SQLiteColumn,
  parent: SQLiteTable & { accountId: SQLiteColumn },
  id: SQLiteColumn,
): AccountRows => ({
  table: column.table as SQLiteTable,
  of: (accountId) => sql`${column} in (select ${id} from ${parent} where ${eq(parent.accountId, accountId)})`,
});

/** Rows to delete first: they grant access, or make the service send something. */
export const FIRST_ROWS: AccountRows[] = [
  own(apiKeys),
  own(appConfigurationLinks),
  below(webhookDeliveries.subscriptionId, webhookSubscriptions, webhookSubscriptions.id),
  below(earlierDeliveries.subscriptionId, webhookSubscriptions, webhookSubscriptions.id),
  own(webhookSubscriptions),
  own(webhookPayloads),
  own(webhookPayloadCounts),
  // Without templates, no passes are created. A template's rows go first: only the template names their account.
  below(templateVersions.templateId, templates, templates.id),
  below(customNumbers.templateId, templates, templates.id),
  below(templateVersions.templateId, templateDeletions, templateDeletions.templateId),
  below(customNumbers.templateId, templateDeletions, templateDeletions.templateId),
  own(templates),
  own(templateDeletions),
  own(notifications),
  below(pushPages.fanOutId, pushFanOuts, pushFanOuts.id),
  own(pushFanOuts),
  own(pendingPushes),
  own(earlierPendingPushes),
  own(messages),
];

/** Builds an entry for deliveries with answers, which may repeat events of the account. */
const answersOf = (table: typeof webhookDeliveries | typeof earlierDeliveries): AccountRows => ({
  table,
  of: (accountId) => sql`instr(attempts, '"answer"') > 0
    and ${table.eventId} in (select ${events.id} from ${events} where ${eq(events.accountId, accountId)}
      union all select ${earlierEvents.id} from ${earlierEvents} where ${eq(earlierEvents.accountId, accountId)})`,
});

/** Rows to delete after the passes are gone and Google has been informed. */
export const LAST_ROWS: AccountRows[] = [
  below(registrations.passId, passTombstones, passTombstones.passId),
  below(takenCallbacks.passId, passTombstones, passTombstones.passId),
  own(passTombstones),
  own(passErasures),
  own(activePassCounts),
  own(bundleLinks),
  own(uniquePropertyChanges),
  own(appScans),
  own(appConfigurations),
  answersOf(webhookDeliveries),
  answersOf(earlierDeliveries),
  own(events),
  own(earlierEvents),
  own(idempotencyKeys),
  own(replySubjects),
  own(segments),
  own(projects),
  own(signingKeys),
  own(certificates),
  own(certificateRequests),
  own(googleIssuers),
  own(deadLetters),
  own(auditEntries),
  own(hourlyCounts),
  own(dailyCounts),
  own(accountQuotas),
  own(accountContacts),
];

/** Deletes the next rows of an account from a table. Returns how many. */
export async function deleteRows(ctx: Context, { table, of }: AccountRows, accountId: string): Promise<number> {
  const { meta } = await ctx.db.delete(table).where(pageOf(table, of(accountId)));
  return meta.changes;
}
