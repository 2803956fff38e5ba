/** Requests that share a limit begin within this time of each other, and may take so much longer. */
export const GRAIN_MS = 250;

/** A time after which what has entered is over. Timer and signal take as long as signing, so requests share them. */
export class TimeLimit {
  readonly timeoutMs: number;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inside = new Set<() => void>();
  #closed = false;

  /** Runs from now; `timeoutMs` is what messages name, and `graceMs` comes on top of it. */
  constructor(timeoutMs: number, graceMs = 0) {
    this.timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#end(), timeoutMs + graceMs);
  }

  /** Aborts what is inside when the time is over, with a `TimeoutError` as `AbortSignal.timeout` does. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Calls `onOver` when the time is over, unless the function that is returned was called before. */
  enter(onOver: () => void = () => {}): () => void {
    this.#inside.add(onOver);
    return () => {
      this.#inside.delete(onOver);
      this.#release();
    };
  }

  /** Nothing enters any more: once all have left, no timer runs. */
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

/** Limits of requests that begin one after the other: each has its time, and at most GRAIN_MS more. */
export class SharedTimeLimit {
  #timeoutMs: number;
  #current: { limit: TimeLimit; since: number } | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** The limit of a request that begins now. */
  now(): TimeLimit {
    const now = Date.now();
    const age = this.#current ? now - this.#current.since : Number.NaN;
    if (this.#current && age >= 0 && age <= GRAIN_MS) return this.#current.limit;
    this.close();
    this.#current = { limit: new TimeLimit(this.#timeoutMs, GRAIN_MS), since: now };
    return this.#current.limit;
  }

  /** Lets go of the timer when all requests have ended. */
  close(): void {
    this.#current?.limit.close();
    this.#current = undefined;
  }
}
