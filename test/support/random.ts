/** Random integers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 to `bound` - 1. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % bound;
  }

  /** Returns true with a probability of one in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
}
