import { TRANSIENT } from '../../src/platform/transient-error.ts';
import { Random } from './random.ts';

/** Environment variable with a seed that makes the test Worker's D1 fail. The product doesn't know it. */
export const D1_FAULTS = 'D1_FAULTS';

/** One in this many round trips fails. */
const ONE_IN = 20;

/** The fault of one round trip. */
export interface D1Fault {
  /** `after`: it took effect, and only the answer is lost. */
  when: 'before' | 'after';
  message: string;
}

/** Decides randomly which round trips fail, and how; a seed always gives the same result. */
export class D1Faults {
  roundTrips = 0;
  failed = 0;
  #random: Random;
  #oneIn: number;

  constructor(seed: number, oneIn = ONE_IN) {
    this.#random = new Random(seed);
    this.#oneIn = oneIn;
  }

  /** Runs one round trip, or fails before or after `work` with an error that D1 documents as transient. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const fault = this.#next();
    if (fault?.when === 'before') throw new Error(fault.message);
    const result = await work();
    if (fault) throw new Error(fault.message);
    return result;
  }

  #next(): D1Fault | undefined {
    this.roundTrips += 1;
    if (!this.#random.oneIn(this.#oneIn)) return undefined;
    this.failed += 1;
    const text = TRANSIENT[this.#random.below(TRANSIENT.length)]!;
    return { when: this.#random.oneIn(2) ? 'before' : 'after', message: `D1_ERROR: ${text}` };
  }
}
