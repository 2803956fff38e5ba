import { noteAccount } from '../domain/context.ts';
import { enqueue, type FollowUp, later } from '../domain/enqueue.ts';
import { type DeliveryJob, type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import { pagesOf } from '../domain/pushes/push-jobs.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import { Slots } from '../platform/slots.ts';
import { pushPasses } from '../wallets/apple/push-passes.ts';
import { ageOf, measured } from './measured.ts';

/** The webhooks of the same batch use the other connections; see `webhooks/connections.ts`. */
const CONNECTIONS_MAX = 2;
/** A push that hasn't begun after this time, because Apple answers slowly, gets a message of its own. */
const WAIT_MS_MAX = 5_000;

type PushJob = JobOf<'push-passes'>;

/** How the pushes of an account run. */
interface Share {
  /** Number of connections. */
  connections: number;
  /** Time after which no further page begins. */
  endsAt: number;
}

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
  const slots = new Slots(CONNECTIONS_MAX);
  const connections = ofAccounts.length > 1 ? 1 : CONNECTIONS_MAX;
  const share = { connections, endsAt: Date.now() + WAIT_MS_MAX };
  return Promise.all(
    ofAccounts.map(([accountId, some]) =>
      slots.run(connections, () => pushOfAccount(accountId, some, share, env, execution)),
    ),
  );
}

const passIdsOf = (body: DeliveryJob | null) => (body?.type === 'fan-out-events' && body.passIds) || [];

async function pushOfAccount(
  accountId: string,
  messages: readonly Message<DeliveryJob>[],
  { connections, endsAt }: Share,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const line = { event: 'job', job: 'push-passes', attempt: 1 };
  const metric = { kind: 'job', name: 'push-passes', attempt: 1, ageMs: ageOf(messages) } as const;
  const unit = { line, metric, requestId: messages[0]!.id, onError: 'retry', accountId } as const;
  const passIds = [...new Set(messages.flatMap(({ body }) => passIdsOf(body)))];
  for (const page of pagesOf(passIds)) {
    const job: PushJob = { type: 'push-passes', accountId, passIds: page };
    if (Date.now() >= endsAt) {
      await handOver(env, unit.requestId, job);
      continue;
    }
    const failed = await measured(env, execution, unit, async (ctx) => {
      noteAccount(ctx, accountId);
      await pushPasses(ctx, job, connections);
    });
    const asked = failed?.error instanceof RetryLater ? failed.error.afterSeconds : 0;
    if (failed) await handOver(env, unit.requestId, later(job, retryDelay(1, asked)));
  }
}

async function handOver(env: Env, requestId: string, job: FollowUp): Promise<void> {
  try {
    await enqueue({ env }, [job]);
  } catch (refused) {
    logLine('error', { event: 'enqueue', requestId, error: describeError(refused) });
  }
}
