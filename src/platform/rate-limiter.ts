/** Share of the rate that can be booked ahead. The rest admits callers without a booking at once. */
const BOOKED_SHARE = 0.98;

/**
 * Spaces calls evenly, so that independent callers share a rate. A call is counted only when it is taken, so a caller
 * that doesn't return wastes nothing. Bookings only spread callers over time. The state is in memory, so a lost limiter
 * starts over. Times are UTC milliseconds.
 */
export class RateLimiter {
  #callMs: number;
  /** Time of the next free call. */
  #freeAt = 0;
  /** Time up to which callers are booked. */
  #bookedUntil = 0;

  constructor(callsPerSecond: number) {
    this.#callMs = 1_000 / callsPerSecond;
  }

  /**
   * Takes calls and returns the milliseconds to wait before making them. If that exceeds `patienceMs`, takes nothing;
   * the caller is booked and asks again after the returned time.
   */
  take(calls: number, patienceMs: number, now: number): number {
    const at = Math.max(now, this.#freeAt);
    if (at > now + patienceMs) return this.book(calls, now);
    this.#freeAt = at + calls * this.#callMs;
    return at - now;
  }

  /** Books calls. Returns the milliseconds until the first should ask for its turn; the others follow evenly. */
  book(calls: number, now: number): number {
    const at = Math.max(now, this.#freeAt, this.#bookedUntil);
    this.#bookedUntil = at + bookedMs(calls, this.#callMs);
    return at - now;
  }
}

/** Returns the time over which booked calls are spread. */
export function bookedMs(calls: number, callMs: number): number {
  return (calls * callMs) / BOOKED_SHARE;
}
