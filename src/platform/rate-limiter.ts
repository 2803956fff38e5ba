/** Share of the rate that is booked ahead; the rest lets unannounced callers in without a wait. */
const BOOKED_SHARE = 0.98;

/**
 * Spaces calls evenly, so that independent callers keep one rate together. A turn is consumed when it is taken, so a
 * caller that stays away wastes none. Bookings spread later callers over time; they are estimates and hold no turn.
 * Lives in memory, in two numbers; a lost limiter starts anew. Times are UTC milliseconds.
 */
export class RateLimiter {
  #callMs: number;
  /** When the next call is free. */
  #freeAt = 0;
  /** Up to when callers have been asked to come. */
  #bookedUntil = 0;

  constructor(callsPerSecond: number) {
    this.#callMs = 1_000 / callsPerSecond;
  }

  /**
   * Milliseconds until the caller makes that many calls, which are then its own. More than `patienceMs`: nothing was
   * taken, and the caller asks again after this time, which is booked for it.
   */
  take(calls: number, patienceMs: number, now: number): number {
    const at = Math.max(now, this.#freeAt);
    if (at > now + patienceMs) return this.book(calls, now);
    this.#freeAt = at + calls * this.#callMs;
    return at - now;
  }

  /** Milliseconds until the first of that many calls should ask for its turn, the others evenly behind it. */
  book(calls: number, now: number): number {
    const at = Math.max(now, this.#freeAt, this.#bookedUntil);
    this.#bookedUntil = at + bookedMs(calls, this.#callMs);
    return at - now;
  }
}

/** Time over which so many booked calls are spread. */
export function bookedMs(calls: number, callMs: number): number {
  return (calls * callMs) / BOOKED_SHARE;
}
