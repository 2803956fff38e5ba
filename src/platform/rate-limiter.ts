/** Reservations kept at a time; callers beyond them ask again from the start. */
const RESERVATIONS_MAX = 200_000;
/** A reservation that nobody has asked for again is dropped after this time. */
const KEPT_MS = 10 * 60_000;

/**
 * Reserves calls at an even rate, in the order of requests, so that independent callers keep one rate together. A
 * caller that must wait keeps its reservation and asks again by the same name. Lives in memory; a lost limiter starts
 * anew. Times are UTC milliseconds.
 */
export class RateLimiter {
  #callMs: number;
  /** When the next call is free. */
  #freeAt = 0;
  /** In the order of their times. */
  #reservations = new Map<string, number>();

  constructor(callsPerSecond: number) {
    this.#callMs = 1_000 / callsPerSecond;
  }

  /**
   * Milliseconds until `name` may make that many calls; 0 for now. Within `patienceMs` the caller waits and then goes
   * without asking again; beyond, it asks again after the time.
   */
  reserve(name: string, calls: number, patienceMs: number, now: number): number {
    this.#forget(now - KEPT_MS);
    const kept = this.#reservations.get(name);
    if (kept !== undefined && kept > now + patienceMs) return kept - now;
    this.#reservations.delete(name);
    if (kept !== undefined) return Math.max(0, kept - now);
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + calls * this.#callMs;
    if (at > now + patienceMs && this.#reservations.size < RESERVATIONS_MAX) this.#reservations.set(name, at);
    return at - now;
  }

  #forget(before: number): void {
    for (const [name, at] of this.#reservations) {
      if (at >= before) return;
      this.#reservations.delete(name);
    }
  }
}
