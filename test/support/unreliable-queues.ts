import type { DeliveryJob, Job, QueueName, Tick } from '../../src/domain/jobs.ts';
import type { Random } from './random.ts';

/** Maximum number of messages per call of a consumer. */
const BATCH_MAX = 20;
/** Deliveries of a message before it becomes a dead letter: the first, plus `max_retries` of `wrangler.toml`. */
const DELIVERIES_MAX = 6;

/** Queue names by binding, as in `wrangler.toml`. */
const NAMES: Record<QueueName, string> = {
  JOBS: 'pass-wallet-jobs',
  PUSHES: 'pass-wallet-pushes',
  MESSAGES: 'pass-wallet-messages',
  IMPORTS: 'pass-wallet-images',
  WEBHOOKS: 'pass-wallet-webhooks',
  TICKS: 'pass-wallet-ticks',
};

interface Waiting {
  id: string;
  queue: QueueName;
  body: Body;
  dueAt: number;
  attempts: number;
}

/** Faults of messages, each for one in this many; absent: none. */
export interface Unreliable {
  lostOneIn?: number;
  twiceOneIn?: number;
  /** Whether the first message of each kind is lost for certain. */
  losesFirst?: boolean;
}

type Body = Job | DeliveryJob | Tick;

/** The queues of an in-process service. They lose, repeat and reorder messages randomly. */
export class UnreliableQueues {
  sent = 0;
  lost = 0;
  repeated = 0;
  deadLetters: Body[] = [];
  /** Number of sent messages by type. */
  types = new Map<string, number>();
  /** Types of which messages were lost. */
  lostTypes = new Set<string>();
  #random: Random;
  #unreliable: Unreliable;
  #waiting: Waiting[] = [];

  constructor(random: Random, unreliable: Unreliable) {
    this.#random = random;
    this.#unreliable = unreliable;
  }

  /** Returns the bindings to which the product sends. */
  bindings(): Record<QueueName, Queue> {
    const bindingOf = (queue: QueueName) => ({
      sendBatch: async (messages: Iterable<{ body: Body; delaySeconds?: number }>) => {
        for (const { body, delaySeconds = 0 } of messages) this.#take(queue, body, delaySeconds);
      },
    });
    const queues = Object.keys(NAMES).map((name) => [name, bindingOf(name as QueueName)]);
    // Nobody uses anything else of a queue.
    return Object.fromEntries(queues) as Record<QueueName, Queue>;
  }

  #take(queue: QueueName, body: Body, delaySeconds: number): void {
    const { lostOneIn, twiceOneIn, losesFirst = false } = this.#unreliable;
    this.sent += 1;
    const ofType = this.types.get(body.type) ?? 0;
    this.types.set(body.type, ofType + 1);
    if ((losesFirst && ofType === 0) || (lostOneIn && this.#random.oneIn(lostOneIn))) {
      this.lost += 1;
      this.lostTypes.add(body.type);
      return;
    }
    const isTwice = twiceOneIn !== undefined && this.#random.oneIn(twiceOneIn);
    if (isTwice) this.repeated += 1;
    // Copied, because messages are serialized.
    const message = { id: crypto.randomUUID(), queue, body: structuredClone(body), attempts: 1 };
    for (let i = 0; i < (isTwice ? 2 : 1); i++) {
      this.#waiting.push({ ...message, dueAt: Date.now() + delaySeconds * 1_000 });
    }
  }

  /** Takes some due messages from one queue, in any order; undefined if none is due. */
  next(): MessageBatch<Job | DeliveryJob> | undefined {
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= Date.now());
    if (due.length === 0) return undefined;
    const { queue } = due[this.#random.below(due.length)]!;
    const ofQueue = due.filter((message) => message.queue === queue);
    const taken: Waiting[] = [];
    while (ofQueue.length > 0 && taken.length < BATCH_MAX) {
      taken.push(...ofQueue.splice(this.#random.below(ofQueue.length), 1));
    }
    const left = new Set(taken);
    this.#waiting = this.#waiting.filter((message) => !left.has(message));
    return this.#batchOf(queue, taken);
  }

  #batchOf(queue: QueueName, taken: Waiting[]): MessageBatch<Job | DeliveryJob> {
    const messages = taken.map((message) => ({
      id: message.id,
      body: message.body,
      attempts: message.attempts,
      timestamp: new Date(),
      ack() {},
      retry: ({ delaySeconds = 0 }: QueueRetryOptions = {}) => this.#again(message, delaySeconds),
    }));
    return {
      queue: NAMES[queue],
      messages,
      ackAll() {},
      retryAll: (options: QueueRetryOptions = {}) => {
        for (const message of messages) message.retry(options);
      },
    } as unknown as MessageBatch<Job | DeliveryJob>;
  }

  #again(message: Waiting, delaySeconds: number): void {
    if (message.attempts === DELIVERIES_MAX) this.deadLetters.push(message.body);
    else this.#waiting.push({ ...message, attempts: message.attempts + 1, dueAt: Date.now() + delaySeconds * 1_000 });
  }
}
