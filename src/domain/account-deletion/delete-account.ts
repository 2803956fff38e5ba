import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { logLine } from '../../platform/log.ts';
import {
  beginDeletion,
  claimDeletion,
  type DeletionProgress,
  dueDeletions,
  endDeletion,
  findDeletion,
  saveDeletion,
} from '../accounts/account-deletions.ts';
import { type AccountDeletion, accountContacts } from '../accounts/table.ts';
import { apiKeys } from '../api-keys/table.ts';
import { appConfigurationLinks, appConfigurations } from '../app-configurations/table.ts';
import { appScans } from '../app-scans/table.ts';
import { auditEntries } from '../audit/table.ts';
import { certificateRequests, certificates, googleIssuers } from '../certificates/table.ts';
import { enqueueSoon } from '../commit.ts';
import type { Context } from '../context.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { enqueue } from '../enqueue.ts';
import { notFound } from '../errors.ts';
import { earlierEvents, events } from '../events/table.ts';
import { REPLIES_PREFIX } from '../idempotency/idempotent-requests.ts';
import { idempotencyKeys, replySubjects } from '../idempotency/table.ts';
import { IMPORTS_PREFIX } from '../imports/stored-import.ts';
import { messages } from '../messages/table.ts';
import { notifications } from '../notifications/table.ts';
import { deleteAccountPasses } from '../passes/deletion/delete-all-passes.ts';
import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import { activePassCounts, bundleLinks, passErasures, passTombstones } from '../passes/table.ts';
import { deletePasskeysOf } from '../passkeys/list-passkeys.ts';
import { EXPORTS_PREFIX } from '../persons/export-files.ts';
import { deleteProcesses } from '../processes/delete-processes.ts';
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
import { deleteMembers } from '../users/purge-former-members.ts';
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
interface AccountRows {
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
async function deleteRows(ctx: Context, { table, of }: AccountRows, accountId: string): Promise<number> {
  const { meta } = await ctx.db.delete(table).where(pageOf(table, of(accountId)));
  return meta.changes;
}

/** Pages per job. Another job does the rest, so that none runs long. */
const PAGES_MAX = 100;
const MINUTE_MS = 60_000;
/** By then, requests and jobs that began before the deletion have ended. */
const STRAGGLERS_MS = 20 * MINUTE_MS;
/** How long to wait for Google to expire the passes' objects, which takes the account's credentials. */
const GOOGLE_MS = 24 * 60 * MINUTE_MS;
/** The largest batch of messages that the queue takes. */
const RESUMED_MAX = 100;

/**
 * Runs a part of a step. Returns how many rows or files it deleted: 0 if none are left, `waits` if it can't run yet.
 */
type Step = (ctx: Context, deletion: AccountDeletion, removeFiles: RemoveFiles) => Promise<number | 'waits'>;

const STEPS: Step[] = [
  (ctx, { accountId }) => deleteProcesses(ctx, accountId),
  ...FIRST_ROWS.map(rowsStep),
  deleteAccountPasses,
  awaitGoogle,
  ...LAST_ROWS.map(rowsStep),
  ...[IMPORTS_PREFIX, EXPORTS_PREFIX, REPLIES_PREFIX].map(filesStep),
  (ctx, { accountId }) => deleteMembers(ctx, accountId, deletePasskeysOf),
];

function rowsStep(rows: AccountRows): Step {
  return (ctx, { accountId }) => deleteRows(ctx, rows, accountId);
}

async function awaitGoogle(ctx: Context, { accountId, startedAt }: AccountDeletion): Promise<number | 'waits'> {
  const [due] = await ctx.db
    .select({ passId: passTombstones.passId })
    .from(passTombstones)
    .where(and(eq(passTombstones.accountId, accountId), isNotNull(passTombstones.googleDueAt)))
    .limit(1);
  return due && Date.now() < startedAt + GOOGLE_MS ? 'waits' : 0;
}

function filesStep(prefix: string): Step {
  return async ({ env: { FILES } }, { accountId }) => {
    const { objects } = await FILES.list({ prefix: `${prefix}${accountId}/` });
    if (objects.length > 0) await FILES.delete(objects.map(({ key }) => key));
    return objects.length;
  };
}

/**
 * Starts to delete an account and its sub-customers, or returns the progress. They are unusable from the next request
 * on. The cron deletes rows and files, because an operator's command may have only the database. Throws not found, and
 * `invalid` if `name` is not the account's name.
 */
export async function deleteAccount(ctx: Context, accountId: string, name: string): Promise<DeletionProgress> {
  const before = await findDeletion(ctx, accountId);
  if (!before) await beginDeletion(ctx, accountId, name);
  const progress = before ?? (await findDeletion(ctx, accountId));
  if (!progress) throw notFound();
  return progress;
}

/**
 * Job: deletes the next rows and files of a deleted account, page by page. The steps repeat until a whole round has run
 * after all earlier requests ended. An interrupted run continues at the last saved step.
 */
export async function continueDeletion(ctx: Context, accountId: string, removeFiles: RemoveFiles): Promise<void> {
  const deletion = await claimDeletion(ctx, accountId);
  if (!deletion) return;
  const now = Date.now();
  for (let page = 0; page < PAGES_MAX; page++) {
    const step = STEPS[deletion.step];
    if (!step) return endOfRound(ctx, deletion);
    const deleted = await step(ctx, deletion, removeFiles);
    if (deleted === 'waits') return saveDeletion(ctx, deletion, now + MINUTE_MS);
    if (deleted === 0) deletion.step += 1;
    deletion.deleted += deleted;
  }
  await saveDeletion(ctx, deletion, now);
  enqueueSoon(ctx, [{ type: 'delete-account', accountId }]);
}

async function endOfRound(ctx: Context, deletion: AccountDeletion): Promise<void> {
  const { startedAt, rounds, deleted } = deletion;
  const lastFrom = startedAt + STRAGGLERS_MS;
  // The first round may end before `lastFrom`. The last round begins after it.
  if (rounds > 0 && Date.now() >= lastFrom) {
    await endDeletion(ctx, deletion);
    logLine('info', { event: 'account-deleted', requestId: ctx.requestId, deleted });
    return;
  }
  await saveDeletion(ctx, { ...deletion, step: 0, rounds: rounds + 1 }, Math.max(Date.now(), lastFrom));
}

/** Cron task: continues account deletions that are due. */
export async function resumeAccountDeletions(ctx: Context): Promise<void> {
  const due = await dueDeletions(ctx, RESUMED_MAX);
  await enqueue(
    ctx,
    due.map((accountId) => ({ type: 'delete-account', accountId })),
  );
}
