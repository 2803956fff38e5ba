import { Slots } from '../../platform/concurrency.ts';

/**
 * Maximum number of simultaneous requests. An invocation may have six (Cloudflare, Workers limits); one is left for the
 * queues and the bucket.
 */
const CONNECTIONS_MAX = 5;
/** Maximum number of these for pushes, which take precedence over webhooks. */
export const PUSH_CONNECTIONS_MAX = 2;

/**
 * The connections of an invocation for webhooks and the pushes of the same changes. The senders of several databases
 * share them. Each connection that gets free goes to the sender that has waited longest.
 */
export class Connections {
  #taken = 0;
  #slow = 0;
  /** Waiting senders, in the order of their turns. Not empty only while all connections are taken. */
  #waiting = new Set<() => void>();
  /** Number of pushes that run or wait. */
  #pushing = 0;
  #pushSlots = new Slots(PUSH_CONNECTIONS_MAX);
  #waitingPushes: (() => void)[] = [];

  /** Maximum for webhooks. */
  get max(): number {
    return this.#pushing > 0 ? CONNECTIONS_MAX - PUSH_CONNECTIONS_MAX : CONNECTIONS_MAX;
  }

  /** Whether a sender waits for a connection. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether slow receivers occupy all connections. */
  get isStuck(): boolean {
    return this.#slow >= this.max;
  }

  /** Runs pushes over `count` connections, once webhooks have left them. Settles like `work`. */
  async push<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#pushing += 1;
    try {
      if (this.#taken > this.max) await new Promise<void>((begin) => this.#waitingPushes.push(begin));
      return await this.#pushSlots.run(count, work);
    } finally {
      this.#pushing -= 1;
      this.#serve();
    }
  }

  /** Takes a connection. If none is free, returns false, and calls `onFree` when the caller may try again. */
  take(onFree: () => void): boolean {
    if (this.#taken >= this.max) {
      this.#waiting.add(onFree);
      return false;
    }
    this.#taken += 1;
    return true;
  }

  /** Notes that the receiver at a taken connection is slow. */
  noteSlow(): void {
    this.#slow += 1;
  }

  /** Gives back a connection, and says whether it was noted as slow. */
  release(wasSlow: boolean): void {
    this.#taken -= 1;
    if (wasSlow) this.#slow -= 1;
    this.#serve();
  }

  #serve(): void {
    if (this.#taken <= this.max) for (const begin of this.#waitingPushes.splice(0)) begin();
    while (this.#taken < this.max) {
      const [next] = this.#waiting;
      if (!next) return;
      this.#waiting.delete(next);
      next();
    }
  }
}
