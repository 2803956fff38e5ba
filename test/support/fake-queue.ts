import type { Context } from '../../src/domain/context.ts';
import type { Job } from '../../src/domain/jobs.ts';

/**
 * Returns a queue that passes its messages to `take`, and delivers nothing. If `take` throws, sending fails. Without
 * `take`, messages are dropped.
 */
export function queueTo<Body>(take: (bodies: Body[]) => void = () => {}): Queue {
  const sendBatch = async (messages: Iterable<{ body: Body }>) => take([...messages].map(({ body }) => body));
  // Nobody calls anything else of a queue, or reads its answer.
  return { sendBatch } as unknown as Queue;
}

/** Returns such queues for all jobs, except those of webhooks. */
export function jobQueues(take?: (jobs: Job[]) => void) {
  const queue = queueTo(take);
  return { JOBS: queue, PUSHES: queue, MESSAGES: queue, IMPORTS: queue };
}

/** Returns the context with such queues for its jobs. */
export function withJobs<C extends Context>(context: C, take?: (jobs: Job[]) => void): C {
  return { ...context, env: { ...context.env, ...jobQueues(take) } };
}

/** Messages sent to a queue. */
export interface FakeQueue {
  jobs: Job[];
  /** Makes sending fail. */
  isDown: boolean;
}

/** Returns the context with a queue that records its messages. */
export function withQueue<C extends Context>(context: C, queue: FakeQueue): C {
  return withJobs(context, (jobs) => {
    if (queue.isDown) throw new Error('the queue is down');
    queue.jobs.push(...jobs);
  });
}
