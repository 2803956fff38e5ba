import { noteSent } from '../dev/activity.ts';
import type { Context } from './context.ts';
import { type DeliveryJob, type Job, queueOf } from './jobs.ts';

/* The only access to the queues, used by `commit` and by tasks that find pending work in rows. */

/** A job to deliver after a number of seconds. */
export interface Delayed {
  job: Job | DeliveryJob;
  delaySeconds: number;
}

/** A message for a queue. */
export type FollowUp = Job | DeliveryJob | Delayed;

/** Longest delay of a message, in seconds (Cloudflare, Queues limits). */
export const DELAY_S_MAX = 12 * 3_600;

/**
 * Returns a job to deliver after `seconds`, at most after the longest delay. Below one second, it is delivered
 * immediately.
 */
export function later(job: Job | DeliveryJob, seconds: number): FollowUp {
  return seconds < 1 ? job : { job, delaySeconds: Math.min(DELAY_S_MAX, Math.floor(seconds)) };
}

/** Limits of one call to a queue (Cloudflare, Queues limits): messages, and 256 KB including their overhead. */
const SEND_MESSAGES_MAX = 100;
const SEND_CHARS_MAX = 200_000;

/** Enqueues any number of jobs in as few calls as the limits allow. Throws if a queue rejects them. */
export async function enqueue({ env }: Pick<Context, 'env'>, followUps: FollowUp[]): Promise<void> {
  const messages = followUps.map(
    (one): MessageSendRequest<Job | DeliveryJob> =>
      'job' in one ? { body: one.job, delaySeconds: one.delaySeconds } : { body: one },
  );
  noteSent(
    env,
    messages.flatMap(({ body, delaySeconds }) => (delaySeconds ? [] : [body])),
  );
  const byQueue = Map.groupBy(messages, ({ body }) => queueOf(body));
  await Promise.all([...byQueue].map(([name, ofQueue]) => sendAll(env[name], ofQueue)));
}

async function sendAll(queue: Queue, messages: MessageSendRequest<Job | DeliveryJob>[]): Promise<void> {
  let batch: typeof messages = [];
  let chars = 0;
  for (const message of messages) {
    const added = JSON.stringify(message.body).length;
    if (batch.length === SEND_MESSAGES_MAX || chars + added > SEND_CHARS_MAX) {
      await queue.sendBatch(batch);
      batch = [];
      chars = 0;
    }
    batch.push(message);
    chars += added;
  }
  if (batch.length > 0) await queue.sendBatch(batch);
}
