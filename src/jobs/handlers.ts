import { continueDeletion } from '../domain/account-deletion/delete-account.ts';
import { deleteScans } from '../domain/app-scans/delete-scans.ts';
import type { Context } from '../domain/context.ts';
import { sweepImages } from '../domain/images/sweep-images.ts';
import type { Job, JobOf } from '../domain/jobs.ts';
import { takeOverPush } from '../domain/notifications/take-over-push.ts';
import { erasePasses } from '../domain/pass-erasure/erase-passes.ts';
import { deleteTemplatePasses } from '../domain/passes/deletion/delete-all-passes.ts';
import { importPendingImages } from '../domain/passes/images/import-pending-images.ts';
import { personWork } from '../domain/persons/person-work.ts';
import { applyProcessRange, selectProcessPasses } from '../domain/processes/process-jobs.ts';
import { walkFanOut } from '../domain/pushes/walk-fan-out.ts';
import { claimProcessPage } from '../domain/template-changes/claim-process.ts';
import { hasSameAppearance } from '../domain/templates/publish-template.ts';
import { continueRecovery } from '../domain/webhooks/recover-events.ts';
import { deletePassFiles } from '../wallets/apple/pass-file-cache.ts';
import { pushPasses, pushToDevice } from '../wallets/apple/push-passes.ts';
import { endGoogleObject, publishPassToGoogle, pushPassToGoogle } from '../wallets/google/push.ts';
import { sendMessage } from '../wallets/messages/send-message.ts';
import { pushPage } from '../wallets/push-page.ts';

const PERSON_WORK = personWork(async (ctx, passIds) => {
  await deletePassFiles(ctx, passIds);
});

/** Handler of each job. A job may run twice, and the second run must find nothing left to do. */
const HANDLERS: { [T in Job['type']]: (ctx: Context, job: JobOf<T>) => Promise<void> } = {
  'apply-process-range': async (ctx, job) => {
    await applyProcessRange(ctx, job, PERSON_WORK);
  },
  'delete-account': async (ctx, job) => {
    await continueDeletion(ctx, job.accountId, deletePassFiles);
    await sweepImages(ctx);
  },
  'delete-app-scans': deleteScans,
  'delete-pass-files': (ctx, job) => erase(ctx, [job.passId]),
  'delete-template-passes': (ctx, job) => deleteTemplatePasses(ctx, job, deletePassFiles),
  'end-google-object': endGoogleObject,
  'erase-passes': (ctx, job) => erase(ctx, job.passIds),
  'import-pass-images': (ctx, job) => importPendingImages(ctx, job.passId),
  'publish-to-google': publishPassToGoogle,
  'recover-webhooks': continueRecovery,
  'select-process-passes': (ctx, job) => selectProcessPasses(ctx, job, PERSON_WORK, claimProcessPage),
  'send-message': async (ctx, job) => {
    await sendMessage(ctx, job);
  },
  'push-page': pushPage,
  'push-passes': (ctx, job) => pushPasses(ctx, job),
  'push-template-notification': async (ctx, job) => {
    await takeOverPush(ctx, job);
    await walkFanOut(ctx, { accountId: job.accountId, fanOutId: job.notificationId }, hasSameAppearance);
  },
  'push-to-device': pushToDevice,
  'push-to-google': (ctx, job) => pushPassToGoogle(ctx, job),
  'walk-push-fan-out': (ctx, job) => walkFanOut(ctx, job, hasSameAppearance),
};

/** Erases the remaining data of deleted passes, beginning with their images, which are public. */
async function erase(ctx: Context, passIds: string[]): Promise<void> {
  await sweepImages(ctx);
  await deletePassFiles(ctx, passIds);
  await erasePasses(ctx, passIds);
}

/** Runs one job. Throws if the job should be retried. */
export function runJob(ctx: Context, job: Job): Promise<void> {
  const handler = HANDLERS[job.type] as ((ctx: Context, job: Job) => Promise<void>) | undefined;
  if (!handler) throw new Error(`unknown job type "${job.type}"`);
  return handler(ctx, job);
}
