import { type Job, RetryLater, retryDelay } from '../../src/domain/jobs.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Deliveries of a message; then it is a dead letter (`max_retries` of `wrangler.toml`, and the first). */
const DELIVERIES_MAX = 6;
/** Jobs of Google that run side by side: ten consumers with six connections, of which each takes two. */
const JOBS_AT_ONCE = 30;
/** A message waits for its batch for up to this time. */
const BATCH_MS = 1_000;

/** A queue under a simulated clock, as Cloudflare's behaves: it delays, retries, buries, and, here, loses messages. */
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

  /** What the product sends to. */
  get binding(): Queue {
    const sendBatch = async (messages: Iterable<{ body: Job; delaySeconds?: number }>) => {
      for (const { body, delaySeconds = 0 } of messages) {
        this.sent += 1;
        if (this.#isLost(body)) this.lost += 1;
        else this.#deliver(body, 1, delaySeconds);
      }
    };
    // Nobody calls more of a queue than this.
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
