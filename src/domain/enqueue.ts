import { noteSent } from '../dev/activity.ts';
import type { Context } from './context.ts';
import { type DeliveryJob, type Job, queueOf } from './jobs.ts';

/* The only door to the queues. `commit` goes through it, and whoever finds in rows what is to be done. */

/** A job that is delivered after so many seconds. */
export interface Delayed {
  job: Job | DeliveryJob;
  delaySeconds: number;
}

/** A message for a queue. */
export type FollowUp = Job | DeliveryJob | Delayed;

/** The longest delay of a message (Cloudflare, Queues limits). */
export const DELAY_S_MAX = 12 * 3_600;

/** A job that is delivered after so many seconds, or after the longest delay; below one, at once. */
export function later(job: Job | DeliveryJob, seconds: number): FollowUp {
  return seconds < 1 ? job : { job, delaySeconds: Math.min(DELAY_S_MAX, Math.floor(seconds)) };
}

/** Limits of one call of a queue (Cloudflare, Queues limits): messages, and 256 KB with their overhead. */
const SEND_MESSAGES_MAX = 100;
const SEND_CHARS_MAX = 200_000;

/** Puts any number of jobs on their queues, in as few requests as these take them. Throws when a queue refuses. */
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
