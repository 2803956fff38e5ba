import { noteSent } from '../dev/activity.ts';
import { useDevClock } from '../dev/clock.ts';
import { devTasks } from '../dev/tasks.ts';
import { resumeAccountDeletions } from '../domain/account-deletion/delete-account.ts';
import { tidyMoves } from '../domain/account-moves/end-moves.ts';
import { resumeConfigurationDeletions } from '../domain/app-configurations/delete-configuration.ts';
import { forwardEntries } from '../domain/audit/forward-entries.ts';
import { purgeActions } from '../domain/audit/list-actions.ts';
import { warnCertificateOwners } from '../domain/certificate-mails/warn-certificate-owners.ts';
import { copyServiceKeys } from '../domain/certificates/copy-service-keys.ts';
import { purgeRequests } from '../domain/certificates/purge-requests.ts';
import { type Context, contextOf } from '../domain/context.ts';
import { usedDatabases } from '../domain/databases/list-databases.ts';
import { purgeDeadLetters } from '../domain/dead-letters/keep-dead-letters.ts';
import { resumeRetries } from '../domain/dead-letters/manage-dead-letters.ts';
import { purgeEarlierEvents, purgeEvents } from '../domain/events/purge-events.ts';
import { purgeClasses } from '../domain/google-classes/replace-class.ts';
import { purgeIdempotencyKeys } from '../domain/idempotency/idempotent-requests.ts';
import { sweepImages } from '../domain/images/sweep-images.ts';
import { purgeImports } from '../domain/imports/stored-import.ts';
import type { Tick } from '../domain/jobs.ts';
import { purgeMessages } from '../domain/messages/delete-messages.ts';
import { resumeMessages } from '../domain/messages/resume-messages.ts';
import { recordMetric } from '../domain/metrics/record-metric.ts';
import type { TaskOutcome } from '../domain/monitoring/alerts.ts';
import { measureDatabase } from '../domain/monitoring/samples.ts';
import { watchLateCron, watchService } from '../domain/monitoring/watch-service.ts';
import { moveRefusal } from '../domain/moved.ts';
import { publishDueNotifications } from '../domain/notifications/publish-due-notifications.ts';
import { purgeNotifications } from '../domain/notifications/purge-notifications.ts';
import { resumeErasures } from '../domain/pass-erasure/erase-passes.ts';
import { purgeFacts } from '../domain/pass-facts/purge-facts.ts';
import { resumeGoogleEnds } from '../domain/passes/deletion/tombstones.ts';
import { resumeImageImports } from '../domain/passes/images/resume-image-imports.ts';
import { moveLinkTokens } from '../domain/passes/page/move-link-tokens.ts';
import { purgeBundleLinks } from '../domain/passes/purge-bundle-links.ts';
import { mergeTerms, removeDocuments, resumeReindex } from '../domain/passes/search-index/maintain-index.ts';
import { purgeChallenges } from '../domain/passkeys/challenges.ts';
import { deletePasskeysOf } from '../domain/passkeys/list-passkeys.ts';
import { purgeExports } from '../domain/persons/export-files.ts';
import { purgeProcesses } from '../domain/processes/delete-processes.ts';
import { wakeProcesses } from '../domain/processes/wake-processes.ts';
import { refreshRenewed } from '../domain/pushes/refresh-wallets.ts';
import { movePushes, resumePushes } from '../domain/pushes/resume-pushes.ts';
import { notifyQuotaOwners } from '../domain/quota-mails/notify-quota-owners.ts';
import { datePeriods } from '../domain/quotas/date-periods.ts';
import { purgeRegistrations } from '../domain/registrations/purge-registrations.ts';
import { purgeTakenCallbacks } from '../domain/registrations/record-save.ts';
import { applyRetention } from '../domain/retention/apply-retention.ts';
import { purgeQueries } from '../domain/search/segments.ts';
import { DIRECTORY, databaseNames } from '../domain/shard-map.ts';
import { countEvents } from '../domain/statistics/count-events.ts';
import { foldCounts } from '../domain/statistics/fold-counts.ts';
import { releaseUniqueProperties } from '../domain/template-changes/paged-claims.ts';
import { resumeDeletions } from '../domain/templates/delete-template.ts';
import { publishVersion } from '../domain/templates/publish-template.ts';
import { purgeVersions } from '../domain/templates/purge-versions.ts';
import { purgeExpiredSignIns, purgeFormerMembers } from '../domain/users/purge-former-members.ts';
import { moveDeliveries } from '../domain/webhooks/move-deliveries.ts';
import { notifyOwners } from '../domain/webhooks/notify-owners.ts';
import { purgePayloads } from '../domain/webhooks/payload-counts.ts';
import { purgeDeliveries, sweepDeliveries } from '../domain/webhooks/purge-deliveries.ts';
import { resumeRecoveries } from '../domain/webhooks/recover-events.ts';
import { slicesOf } from '../platform/chunks.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import { deleteOpenFiles, deletePassFiles } from '../wallets/apple/pass-file-cache.ts';
import { measured } from './measured.ts';

/** Messages in one call to a queue (Cloudflare, Queues limits). */
const TICKS_AT_ONCE = 100;

/**
 * Tasks that run each minute in each database. A task may run twice or be skipped, so it claims its rows with
 * conditional statements.
 */
const TASKS: Record<string, Task> = {
  'purge-audit-log': purgeActions,
  'purge-dead-letters': (ctx) => purgeDeadLetters(ctx),
  'resume-dead-letter-retries': (ctx) => resumeRetries(ctx),
  'purge-idempotency-keys': (ctx) => purgeIdempotencyKeys(ctx),
  'purge-kept-queries': purgeQueries,
  'move-link-tokens': (ctx) => moveLinkTokens(ctx, deleteOpenFiles),
  'purge-messages': purgeMessages,
  'purge-pass-facts': (ctx) => purgeFacts(ctx),
  'purge-registrations': purgeRegistrations,
  'resume-account-deletions': resumeAccountDeletions,
  'tidy-account-moves': (ctx) => tidyMoves(ctx),
  'resume-erasures': (ctx) => resumeErasures(ctx),
  'resume-configuration-deletions': resumeConfigurationDeletions,
  'resume-image-imports': resumeImageImports,
  'resume-messages': resumeMessages,
  'purge-google-callbacks': purgeTakenCallbacks,
  'purge-google-classes': purgeClasses,
  'end-google-objects': (ctx) => resumeGoogleEnds(ctx),
  'move-pushes': (ctx) => movePushes(ctx),
  'resume-pushes': resumePushes,
  'apply-retention': (ctx) => applyRetention(ctx, deletePassFiles),
  'resume-search-reindex': resumeReindex,
  'remove-search-documents': removeDocuments,
  'merge-search-terms': (ctx) => mergeTerms(ctx),
  'resume-template-deletions': resumeDeletions,
  'release-unique-properties': (ctx) => releaseUniqueProperties(ctx),
  'wake-processes': wakeProcesses,
  'purge-processes': (ctx) => purgeProcesses(ctx),
  'purge-template-versions': (ctx) => purgeVersions(ctx),
  'purge-notifications': (ctx) => purgeNotifications(ctx),
  'purge-bundle-links': (ctx) => purgeBundleLinks(ctx),
  'count-events': (ctx) => countEvents(ctx),
  'fold-counts': (ctx) => foldCounts(ctx),
  'purge-events': purgeEvents,
  'purge-earlier-events': (ctx) => purgeEarlierEvents(ctx),
  'move-webhook-deliveries': (ctx) => moveDeliveries(ctx),
  'purge-webhook-deliveries': purgeDeliveries,
  'resume-webhook-recoveries': resumeRecoveries,
  'sweep-images': (ctx) => sweepImages(ctx),
  'sweep-webhook-deliveries': sweepDeliveries,
  'tell-webhook-owners': notifyOwners,
  'warn-certificate-owners': (ctx) => warnCertificateOwners(ctx),
  'refresh-renewed-passes': (ctx) => refreshRenewed(ctx),
  'purge-certificate-requests': (ctx) => purgeRequests(ctx),
  'tell-quota-owners': (ctx) => notifyQuotaOwners(ctx),
  'date-quota-periods': datePeriods,
  'purge-webhook-payloads': purgePayloads,
  'publish-due-notifications': (ctx) => publishDueNotifications(ctx, publishVersion),
};

/** Tasks that run each minute for the whole service: for its directory and its files. */
const DIRECTORY_TASKS: Record<string, Task> = {
  'purge-expired-sign-ins': purgeExpiredSignIns,
  'purge-passkey-challenges': purgeChallenges,
  'purge-former-members': (ctx) => purgeFormerMembers(ctx, (userIds) => deletePasskeysOf(ctx, userIds)),
  'purge-imports': (ctx) => purgeImports(ctx),
  'purge-person-exports': (ctx) => purgeExports(ctx),
};

/** Tasks for a service with several databases. */
const FURTHER_TASKS: Record<string, Task> = {
  'forward-audit-entries': forwardEntries,
};

/** How long the tasks wait for the one that runs before them, in milliseconds. */
const FIRST_MS_MAX = 10_000;

/**
 * Runs the tasks of the directory and of its database (see `runTasks`), then the task that monitors them and the
 * service. A run that the platform ends early doesn't get that far, so the next one monitors first. Sends each other
 * database a tick, unless `isTriggered` is false.
 */
export async function runCron(env: Env, execution: ExecutionContext, isTriggered = true): Promise<void> {
  await useDevClock(env);
  const before: Record<string, Task> = isTriggered ? { 'watch-late-cron': (ctx) => watchLateCron(ctx) } : {};
  const earlier = await runTasks(env, execution, before, { msMax: FIRST_MS_MAX });
  const hasSeveral = databaseNames(env).length > 1;
  const first = { ...TASKS, ...DIRECTORY_TASKS, ...devTasks(env) };
  const others: Record<string, Task> = { ...FURTHER_TASKS, ...(isTriggered && { 'send-ticks': sendTicks }) };
  const runs = await runTasks(env, execution, { ...first, ...(hasSeveral && others) });
  await runTasks(env, execution, { 'watch-service': (ctx) => watchService(ctx, [...earlier, ...runs]) });
}

/**
 * Runs the tasks of one database, then the task that measures it. Only a local service with an advanced clock runs
 * those of the first database here.
 */
export async function runTick(env: Env, execution: ExecutionContext, { database }: Tick): Promise<void> {
  if (database === DIRECTORY) return runCron(env, execution, false);
  const own: Record<string, Task> = { 'copy-service-keys': (ctx) => copyServiceKeys(ctx, [database]) };
  const runs = await runTasks(env, execution, { ...TASKS, ...FURTHER_TASKS, ...own }, { database });
  await runTasks(env, execution, { 'measure-database': (ctx) => measureDatabase(ctx, runs) }, { database });
  logLine('info', { event: 'tick', database, tasks: runs.length + 1 });
}

async function sendTicks(ctx: Context): Promise<void> {
  const others = (await usedDatabases(ctx)).filter(({ name }) => name !== DIRECTORY);
  const ticks = others.map(({ name }): Tick => ({ type: 'tick', database: name }));
  noteSent(ctx.env, ticks);
  for (const some of slicesOf(ticks, TICKS_AT_ONCE)) await ctx.env.TICKS.sendBatch(some.map((body) => ({ body })));
}

/** Slightly less than the time until the next run, in milliseconds. */
const TASK_MS_MAX = 50_000;

export type Task = (ctx: Context) => Promise<void>;

/**
 * Runs tasks, given by name, side by side in a database. A slow or failing task delays no other. A task that takes
 * longer than `msMax` milliseconds is logged as overdue and no longer awaited, but continues as long as the platform
 * allows.
 */
export function runTasks(
  env: Env,
  execution: ExecutionContext,
  tasks: Record<string, Task>,
  { database = DIRECTORY, msMax = TASK_MS_MAX }: { database?: string; msMax?: number } = {},
): Promise<TaskOutcome[]> {
  const runs = Object.entries(tasks).map(async ([task, run]): Promise<TaskOutcome> => {
    const unit = {
      line: { event: 'task', task, database: database === DIRECTORY ? undefined : database },
      metric: { kind: 'task', name: task },
      requestId: crypto.randomUUID(),
      onError: 'failed',
      database,
    } as const;
    // Drops the second argument, the log line: a task may take a time in its place.
    const work = measured(env, execution, unit, (ctx) => run(ctx));
    execution.waitUntil(work);
    const ended = await within(work, msMax);
    // Some rows belong to an account that is being moved. The next minute tries again.
    if (ended) return { task, status: ended.result && !moveRefusal(ended.result.error) ? 'failed' : 'done' };
    const { line, metric, requestId } = unit;
    logLine('error', { ...line, requestId, status: 'overdue', durationMs: msMax });
    const ctx = contextOf(env, 0, { requestId, waitUntil: (promise) => execution.waitUntil(promise) });
    recordMetric(ctx, { ...metric, outcome: 'overdue', durationMs: msMax });
    return { task, status: 'overdue' };
  });
  return Promise.all(runs);
}

/** Waits at most `msMax` milliseconds for work. Returns undefined if it hasn't ended by then. */
async function within<T>(work: Promise<T>, msMax: number): Promise<{ result: T } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, msMax, undefined);
  });
  const ended = await Promise.race([work.then((result) => ({ result })), overdue]);
  clearTimeout(timer);
  return ended;
}
