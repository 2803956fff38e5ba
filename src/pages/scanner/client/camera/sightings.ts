/** A code has to be out of sight for so long before it counts again. */
export const REARM_MILLIS = 2_500;

/** Tells a code that comes into view from one that stays there: the camera reads it many times a second. */
export class Sightings {
  #value: string | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;

  /**
   * Takes note of a code that is read while nothing can be done about it: the one that counted last stays known,
   * another one stays new.
   */
  overlook(value: string, now: number): void {
    if (value === this.#value) this.#seenAt = now;
  }

  /** Whether a code that is read at `now` (milliseconds of any clock) has just come into view. */
  isNew(value: string, now: number): boolean {
    const isNew = value !== this.#value || now - this.#seenAt >= REARM_MILLIS;
    this.#value = value;
    this.#seenAt = now;
    return isNew;
  }
}
