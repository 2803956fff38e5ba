import { noteAccount } from '../domain/context.ts';
import { enqueue, later } from '../domain/enqueue.ts';
import { type DeliveryJob, type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import { pagesOf } from '../domain/pushes/push-jobs.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import { pushPasses } from '../wallets/apple/push-passes.ts';
import { ageOf, measured } from './measured.ts';

/** The deliveries of the same run use the other connections; see `CONNECTIONS_BESIDES_MAX` in `webhooks/sender.ts`. */
const CONNECTIONS_MAX = 2;

type PushJob = JobOf<'push-passes'>;

/**
 * Notifies the devices of the passes that event messages name (`joinPushes`), account by account. Returns undefined if
 * they name none. Never rejects. A push to retry gets a message of its own; if that can't be sent, the cron finds the
 * push.
 */
export function pushJoined(
  messages: readonly Message<DeliveryJob>[],
  env: Env,
  execution: ExecutionContext,
): Promise<unknown> | undefined {
  const naming = messages.filter(({ body }) => passIdsOf(body).length > 0);
  if (naming.length === 0) return undefined;
  const ofAccounts = [...Map.groupBy(naming, ({ body }) => body.accountId)];
  return Promise.all(ofAccounts.map(([accountId, some]) => pushOfAccount(accountId, some, env, execution)));
}

const passIdsOf = (body: DeliveryJob | null) => (body?.type === 'fan-out-events' && body.passIds) || [];

async function pushOfAccount(
  accountId: string,
  messages: readonly Message<DeliveryJob>[],
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const line = { event: 'job', job: 'push-passes', attempt: 1 };
  const metric = { kind: 'job', name: 'push-passes', attempt: 1, ageMs: ageOf(messages) } as const;
  const unit = { line, metric, requestId: messages[0]!.id, onError: 'retry', accountId } as const;
  const passIds = [...new Set(messages.flatMap(({ body }) => passIdsOf(body)))];
  for (const page of pagesOf(passIds)) {
    const job: PushJob = { type: 'push-passes', accountId, passIds: page };
    const failed = await measured(env, execution, unit, async (ctx) => {
      noteAccount(ctx, accountId);
      await pushPasses(ctx, job, CONNECTIONS_MAX);
    });
    if (failed) await tryAgain(env, unit.requestId, job, failed.error);
  }
}

async function tryAgain(env: Env, requestId: string, job: PushJob, error: unknown): Promise<void> {
  const asked = error instanceof RetryLater ? error.afterSeconds : 0;
  try {
    await enqueue({ env }, [later(job, retryDelay(1, asked))]);
  } catch (refused) {
    logLine('error', { event: 'enqueue', requestId, error: describeError(refused) });
  }
}
