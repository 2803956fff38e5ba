/** Requests that share a limit start within this time of each other, so each can take this much longer. */
export const GRAIN_MS = 250;

/** A time limit that requests share, because a timer and a signal cost as much time as signing. */
export class TimeLimit {
  readonly timeoutMs: number;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inside = new Set<() => void>();
  #closed = false;

  /** Starts now. `timeoutMs` is the time that messages state; `graceMs` is added to it. */
  constructor(timeoutMs: number, graceMs = 0) {
    this.timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#end(), timeoutMs + graceMs);
  }

  /** Aborts with a `TimeoutError` when the time is over, as `AbortSignal.timeout` does. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Calls `onOver` when the time is over, unless the returned function was called before. */
  enter(onOver: () => void = () => {}): () => void {
    this.#inside.add(onOver);
    return () => {
      this.#inside.delete(onOver);
      this.#release();
    };
  }

  /** Admits no further requests. The timer stops once all have left. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    if (this.#closed && this.#inside.size === 0) clearTimeout(this.#timer);
  }

  #end(): void {
    const inside = [...this.#inside];
    this.#inside.clear();
    for (const onOver of inside) onOver();
    this.#abort.abort(new DOMException('The operation timed out', 'TimeoutError'));
  }
}

/** Limits for consecutive requests. Each gets its time, plus at most GRAIN_MS. */
export class SharedTimeLimit {
  #timeoutMs: number;
  #current: { limit: TimeLimit; since: number } | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the limit for a request that starts now. */
  now(): TimeLimit {
    const now = Date.now();
    const age = this.#current ? now - this.#current.since : Number.NaN;
    if (this.#current && age >= 0 && age <= GRAIN_MS) return this.#current.limit;
    this.close();
    this.#current = { limit: new TimeLimit(this.#timeoutMs, GRAIN_MS), since: now };
    return this.#current.limit;
  }

  /** Releases the timer once all requests have ended. */
  close(): void {
    this.#current?.limit.close();
    this.#current = undefined;
  }
}
