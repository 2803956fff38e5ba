import { devTasks } from '../dev/tasks.ts';
import { resumeAccountDeletions } from '../domain/account-deletion/delete-account.ts';
import { resumeConfigurationDeletions } from '../domain/app-configurations/delete-configuration.ts';
import { purgeActions } from '../domain/audit/list-actions.ts';
import { purgeDeadLetters } from '../domain/dead-letters/purge-dead-letters.ts';
import { resumeRetries } from '../domain/dead-letters/retry-dead-letter.ts';
import { purgeEarlierEvents, purgeEvents } from '../domain/events/purge-events.ts';
import { purgeClasses } from '../domain/google-classes/replace-class.ts';
import { purgeIdempotencyKeys } from '../domain/idempotency/idempotent-requests.ts';
import { sweepImages } from '../domain/images/sweep-images.ts';
import { purgeImports } from '../domain/imports/stored-import.ts';
import { purgeMessages } from '../domain/messages/delete-messages.ts';
import { resumeMessages } from '../domain/messages/resume-messages.ts';
import { watchService } from '../domain/monitoring/watch-service.ts';
import { publishDueNotifications } from '../domain/notifications/publish-due-notifications.ts';
import { purgeNotifications } from '../domain/notifications/purge-notifications.ts';
import { resumeErasures } from '../domain/pass-erasure/erase-passes.ts';
import { purgeFacts } from '../domain/pass-facts/purge-facts.ts';
import { resumeGoogleEnds } from '../domain/passes/deletion/tombstones.ts';
import { resumeImageImports } from '../domain/passes/images/resume-image-imports.ts';
import { moveLinkTokens } from '../domain/passes/page/move-link-tokens.ts';
import { purgeBundleLinks } from '../domain/passes/purge-bundle-links.ts';
import { resumeReindex } from '../domain/passes/search-index/reindex-passes.ts';
import { purgeChallenges } from '../domain/passkeys/challenges.ts';
import { deletePasskeysOf } from '../domain/passkeys/list-passkeys.ts';
import { purgeProcesses } from '../domain/processes/delete-processes.ts';
import { wakeProcesses } from '../domain/processes/wake-processes.ts';
import { movePushes } from '../domain/pushes/move-pushes.ts';
import { resumePushes } from '../domain/pushes/resume-pushes.ts';
import { notifyQuotaOwners } from '../domain/quota-mails/notify-quota-owners.ts';
import { datePeriods } from '../domain/quotas/date-periods.ts';
import { purgeRegistrations } from '../domain/registrations/purge-registrations.ts';
import { purgeTakenCallbacks } from '../domain/registrations/record-save.ts';
import { purgeQueries } from '../domain/search/segments.ts';
import { countEvents } from '../domain/statistics/count-events.ts';
import { foldCounts } from '../domain/statistics/fold-counts.ts';
import { releaseUniqueProperties } from '../domain/template-changes/paged-claims.ts';
import { resumeDeletions } from '../domain/templates/delete-template.ts';
import { publishVersion } from '../domain/templates/publish-template.ts';
import { purgeVersions } from '../domain/templates/purge-versions.ts';
import { purgeExpiredSignIns } from '../domain/users/purge-expired-sign-ins.ts';
import { purgeFormerMembers } from '../domain/users/purge-former-members.ts';
import { notifyOwners } from '../domain/webhooks/notify-owners.ts';
import { purgeDeliveries } from '../domain/webhooks/purge-deliveries.ts';
import { purgePayloads } from '../domain/webhooks/purge-payloads.ts';
import { resumeRecoveries } from '../domain/webhooks/recover-events.ts';
import { sweepDeliveries } from '../domain/webhooks/sweep-deliveries.ts';
import type { Env } from '../platform/env.ts';
import { deleteOpenFiles } from '../wallets/apple/pass-file-cache.ts';
import { runTasks, type Task } from './run-tasks.ts';

/** What happens each minute. A task may run twice or be skipped: it claims its rows with conditional statements. */
const TASKS: Record<string, Task> = {
  'purge-audit-log': purgeActions,
  'purge-dead-letters': (ctx) => purgeDeadLetters(ctx),
  'resume-dead-letter-retries': (ctx) => resumeRetries(ctx),
  'purge-idempotency-keys': (ctx) => purgeIdempotencyKeys(ctx),
  'purge-expired-sign-ins': purgeExpiredSignIns,
  'purge-passkey-challenges': purgeChallenges,
  'purge-former-members': (ctx) => purgeFormerMembers(ctx, (userIds) => deletePasskeysOf(ctx, userIds)),
  'purge-kept-queries': purgeQueries,
  'purge-imports': (ctx) => purgeImports(ctx),
  'move-link-tokens': (ctx) => moveLinkTokens(ctx, deleteOpenFiles),
  'purge-messages': purgeMessages,
  'purge-pass-facts': (ctx) => purgeFacts(ctx),
  'purge-registrations': purgeRegistrations,
  'resume-account-deletions': resumeAccountDeletions,
  'resume-erasures': (ctx) => resumeErasures(ctx),
  'resume-configuration-deletions': resumeConfigurationDeletions,
  'resume-image-imports': resumeImageImports,
  'resume-messages': resumeMessages,
  'purge-google-callbacks': purgeTakenCallbacks,
  'purge-google-classes': purgeClasses,
  'end-google-objects': (ctx) => resumeGoogleEnds(ctx),
  'move-pushes': (ctx) => movePushes(ctx),
  'resume-pushes': resumePushes,
  'resume-search-reindex': resumeReindex,
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
  'purge-webhook-deliveries': purgeDeliveries,
  'resume-webhook-recoveries': resumeRecoveries,
  'sweep-images': (ctx) => sweepImages(ctx),
  'sweep-webhook-deliveries': sweepDeliveries,
  'tell-webhook-owners': notifyOwners,
  'tell-quota-owners': (ctx) => notifyQuotaOwners(ctx),
  'date-quota-periods': datePeriods,
  'purge-webhook-payloads': purgePayloads,
  'publish-due-notifications': (ctx) => publishDueNotifications(ctx, publishVersion),
};

/** Runs all tasks, see `runTasks`, and then the one that watches how they and the service are doing. */
export async function runCron(env: Env, execution: ExecutionContext): Promise<void> {
  const runs = await runTasks(env, execution, { ...TASKS, ...devTasks(env) });
  await runTasks(env, execution, { 'watch-service': (ctx) => watchService(ctx, runs) });
}
