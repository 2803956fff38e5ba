import { backgroundContext, type Context } from '../domain/context.ts';
import { purgeIdempotencyKeys } from '../domain/idempotency/idempotent-requests.ts';
import { publishDueNotifications } from '../domain/notifications/publish-due-notifications.ts';
import { wakeProcesses } from '../domain/processes/wake-processes.ts';
import { resumePushes } from '../domain/pushes/resume-pushes.ts';
import { purgeRegistrations } from '../domain/registrations/purge-registrations.ts';
import { resumeDeletions } from '../domain/templates/delete-template.ts';
import { publishVersion } from '../domain/templates/publish-version.ts';
import { purgeExpiredSignIns } from '../domain/users/purge-expired-sign-ins.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';

/** What happens each minute. A task may run twice or be skipped: it claims its rows with conditional statements. */
const TASKS: Record<string, (ctx: Context) => Promise<void>> = {
  'purge-idempotency-keys': purgeIdempotencyKeys,
  'purge-expired-sign-ins': purgeExpiredSignIns,
  'purge-registrations': purgeRegistrations,
  'resume-pushes': resumePushes,
  'resume-template-deletions': resumeDeletions,
  'wake-processes': wakeProcesses,
  'publish-due-notifications': (ctx) => publishDueNotifications(ctx, publishVersion),
};

/** Runs all tasks; one that fails is logged and holds up no other. */
export async function runCron(env: Env, execution: ExecutionContext): Promise<void> {
  await Promise.all(
    Object.entries(TASKS).map(async ([task, run]) => {
      const startedAt = performance.now();
      const ctx = backgroundContext(env, crypto.randomUUID(), (work) => execution.waitUntil(work));
      let error: unknown;
      try {
        await run(ctx);
      } catch (thrown) {
        error = thrown;
      }
      logLine(error === undefined ? 'info' : 'error', {
        event: 'task',
        requestId: ctx.requestId,
        task,
        status: error === undefined ? 'done' : 'failed',
        durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
        d1RoundTrips: ctx.meter.roundTrips,
        rowsRead: ctx.meter.rowsRead,
        rowsWritten: ctx.meter.rowsWritten,
        error: error === undefined ? undefined : describeError(error),
      });
    }),
  );
}
