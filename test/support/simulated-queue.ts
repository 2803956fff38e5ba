import { type Job, RetryLater, retryDelay } from '../../src/domain/jobs.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Deliveries of a message before it becomes a dead letter: the first, plus `max_retries` of `wrangler.toml`. */
const DELIVERIES_MAX = 6;
/** Concurrent Google jobs: ten consumers with six connections each, and two connections per job. */
const JOBS_AT_ONCE = 30;
/** How long a message may wait for its batch. */
const BATCH_MS = 1_000;

/**
 * A queue with simulated time that behaves like Cloudflare's: it delays, retries, moves messages to the dead-letter
 * queue and, here, loses some.
 */
export class SimulatedQueue {
  sent = 0;
  lost = 0;
  deadLetters: Job[] = [];
  #clock: SimulatedClock;
  #consume: (job: Job) => Promise<void>;
  #isLost: (job: Job) => boolean;
  #waiting: { job: Job; attempts: number }[] = [];
  #next = 0;
  #running = 0;
  #seed = 1;

  constructor(
    clock: SimulatedClock,
    consume: (job: Job) => Promise<void>,
    isLost: (job: Job) => boolean = () => false,
  ) {
    this.#clock = clock;
    this.#consume = consume;
    this.#isLost = isLost;
  }

  /** The binding to which the product sends. */
  get binding(): Queue {
    const sendBatch = async (messages: Iterable<{ body: Job; delaySeconds?: number }>) => {
      for (const { body, delaySeconds = 0 } of messages) {
        this.sent += 1;
        if (this.#isLost(body)) this.lost += 1;
        else this.#deliver(body, 1, delaySeconds);
      }
    };
    // Nobody uses anything else of a queue.
    return { sendBatch } as unknown as Queue;
  }

  #deliver(job: Job, attempts: number, delaySeconds: number): void {
    this.#seed = (this.#seed * 48_271) % 0x7fffffff;
    this.#clock.after(delaySeconds * 1_000 + (this.#seed % BATCH_MS), () => {
      this.#waiting.push({ job, attempts });
      this.#work();
    });
  }

  #work(): void {
    while (this.#running < JOBS_AT_ONCE && this.#next < this.#waiting.length) {
      const { job, attempts } = this.#waiting[this.#next++]!;
      if (this.#next > 10_000) {
        this.#waiting = this.#waiting.slice(this.#next);
        this.#next = 0;
      }
      this.#running += 1;
      this.#consume(job)
        .catch((error: unknown) => {
          if (attempts === DELIVERIES_MAX) this.deadLetters.push(job);
          else
            this.#deliver(
              job,
              attempts + 1,
              retryDelay(attempts, error instanceof RetryLater ? error.afterSeconds : 0),
            );
        })
        .then(() => {
          this.#running -= 1;
          this.#work();
        });
    }
  }
}
