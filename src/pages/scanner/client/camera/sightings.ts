/** How long a code must be out of view before it counts again. */
export const REARM_MILLIS = 2_500;

/**
 * Distinguishes a code that comes into view from one that stays there, which the camera reads many times per second.
 */
export class Sightings {
  #value: string | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;

  /**
   * Notes a code that is read while it can't be processed. The last counted code stays known; any other code stays new.
   */
  overlook(value: string, now: number): void {
    if (value === this.#value) this.#seenAt = now;
  }

  /** Returns whether a code read at `now` (milliseconds of any clock) has just come into view. */
  isNew(value: string, now: number): boolean {
    const isNew = value !== this.#value || now - this.#seenAt >= REARM_MILLIS;
    this.#value = value;
    this.#seenAt = now;
    return isNew;
  }
}
