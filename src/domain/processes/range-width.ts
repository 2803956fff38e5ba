/**
 * Ranges on the queue or being applied at a time, at first and at most: enough to keep D1 busy, few enough that a
 * cancellation is felt and other jobs have their turn.
 */
const WIDTH_AT_FIRST = 10;
const WIDTH_MAX = 100;
/** A range that is done within the first time makes room for one more; one that takes the second is one too many. */
const QUICK_MS = 4_000;
const SLOW_MS = 8_000;
const NARROWED_BY = 0.8;

/**
 * How many ranges of a process to have under way, by how long they take from being sent until they are done. With a
 * slow database or queue few are sent, so that none counts as lost while it waits. Lives in memory; a process that
 * loses it starts anew. Times are UTC milliseconds.
 */
export class RangeWidth {
  #width = WIDTH_AT_FIRST;
  /** When each range under way was sent first, by the number of its first item. */
  #sentAt = new Map<number, number>();

  get ranges(): number {
    return Math.floor(this.#width);
  }

  sent(first: number, now: number): void {
    if (!this.#sentAt.has(first)) this.#sentAt.set(first, now);
    else this.#narrow();
  }

  done(first: number, now: number): void {
    const took = now - (this.#sentAt.get(first) ?? now);
    this.#sentAt.delete(first);
    if (took <= QUICK_MS) this.#width = Math.min(WIDTH_MAX, this.#width + 1);
    else if (took >= SLOW_MS) this.#narrow();
  }

  #narrow(): void {
    this.#width = Math.max(1, this.#width * NARROWED_BY);
  }
}
