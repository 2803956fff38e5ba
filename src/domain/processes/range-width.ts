/**
 * Initial and maximum number of ranges in progress: enough to keep D1 busy, few enough that a cancellation takes effect
 * soon and other jobs get their turn.
 */
const INITIAL_WIDTH = 10;
const WIDTH_MAX = 100;
/** A range that takes at most the first time widens the limit by one; one that takes the second narrows it. */
const QUICK_MS = 4_000;
const SLOW_MS = 8_000;
const NARROW_FACTOR = 0.8;

/**
 * Limits the ranges of a process in progress, by their time from sending to completion. With a slow database or queue,
 * few are sent, so that none counts as lost while it waits. Kept in memory only; times are UTC milliseconds.
 */
export class RangeWidth {
  #width = INITIAL_WIDTH;
  /** First send time of each range in progress, by the number of its first item. */
  #sentAt = new Map<number, number>();

  get ranges(): number {
    return Math.floor(this.#width);
  }

  sent(first: number, now: number): void {
    if (!this.#sentAt.has(first)) this.#sentAt.set(first, now);
    else this.#narrow();
  }

  done(first: number, now: number): void {
    const durationMs = now - (this.#sentAt.get(first) ?? now);
    this.#sentAt.delete(first);
    if (durationMs <= QUICK_MS) this.#width = Math.min(WIDTH_MAX, this.#width + 1);
    else if (durationMs >= SLOW_MS) this.#narrow();
  }

  #narrow(): void {
    this.#width = Math.max(1, this.#width * NARROW_FACTOR);
  }
}
