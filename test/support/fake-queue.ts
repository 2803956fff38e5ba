import type { Context } from '../../src/domain/context.ts';
import type { Job } from '../../src/domain/jobs.ts';

/**
 * A queue that hands what it is given to `take`, and delivers nothing. Where `take` throws, it refuses; without it, it
 * forgets.
 */
export function queueTo<Body>(take: (bodies: Body[]) => void = () => {}): Queue {
  const sendBatch = async (messages: Iterable<{ body: Body }>) => take([...messages].map(({ body }) => body));
  // Nobody calls more of a queue than this, or looks at what it answers.
  return { sendBatch } as unknown as Queue;
}

/** Such a queue in the place of each that takes jobs; those of webhooks are apart. */
export function jobQueues(take?: (jobs: Job[]) => void) {
  const queue = queueTo(take);
  return { JOBS: queue, PUSHES: queue, MESSAGES: queue, IMPORTS: queue };
}

/** The context with such queues for its jobs. */
export function withJobs<C extends Context>(context: C, take?: (jobs: Job[]) => void): C {
  return { ...context, env: { ...context.env, ...jobQueues(take) } };
}

/** What a queue was given. */
export interface FakeQueue {
  jobs: Job[];
  /** Makes it refuse everything. */
  isDown: boolean;
}

/** The context with a queue that keeps what it is given. */
export function withQueue<C extends Context>(context: C, queue: FakeQueue): C {
  return withJobs(context, (jobs) => {
    if (queue.isDown) throw new Error('the queue is down');
    queue.jobs.push(...jobs);
  });
}
