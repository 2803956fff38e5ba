/**
 * Maximum number of simultaneous requests. An invocation may have six (Cloudflare, Workers limits); one is left for the
 * queues and the bucket.
 */
const CONNECTIONS_MAX = 5;
/** Maximum while the invocation also sends pushes, which take two connections. */
const CONNECTIONS_BESIDES_MAX = 3;

/**
 * The connections of an invocation for webhooks. The senders of several databases share them. Each connection that gets
 * free goes to the sender that has waited longest.
 */
export class Connections {
  #max: number;
  #taken = 0;
  #slow = 0;
  /** Waiting senders, in the order of their turns. Not empty only while all connections are taken. */
  #waiting = new Set<() => void>();

  /** `besides` is other work of the invocation, which occupies some connections until it ends. */
  constructor(besides?: Promise<unknown>) {
    this.#max = besides ? CONNECTIONS_BESIDES_MAX : CONNECTIONS_MAX;
    void besides?.finally(() => {
      this.#max = CONNECTIONS_MAX;
      this.#serve();
    });
  }

  get max(): number {
    return this.#max;
  }

  /** Whether a sender waits for a connection. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether slow receivers occupy all connections. */
  get isStuck(): boolean {
    return this.#slow >= this.#max;
  }

  /** Takes a connection. If none is free, returns false, and calls `onFree` when the caller may try again. */
  take(onFree: () => void): boolean {
    if (this.#taken >= this.#max) {
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
    while (this.#taken < this.#max) {
      const [next] = this.#waiting;
      if (!next) return;
      this.#waiting.delete(next);
      next();
    }
  }
}
