import type { FactsStore } from './facts-store.ts';
import type { FailureStore } from './failure-store.ts';
import type { RangeStore } from './range-store.ts';

/** Numbers of the removed failed items of a process, and whether others can still fail. */
export interface ErasedItems {
  erased: number[];
  isOpen: boolean;
}

/** Personal values that the parts of one process hold: its failed and open items, its shared data, its query. */
export class HeldValues {
  #failures: FailureStore;
  #ranges: RangeStore;
  #facts: FactsStore;

  constructor(failures: FailureStore, ranges: RangeStore, facts: FactsStore) {
    this.#failures = failures;
    this.#ranges = ranges;
    this.#facts = facts;
  }

  /** Returns the folded texts that it holds. */
  textsIn(texts: Set<string>): string[] {
    const held = [this.#failures, this.#ranges, this.#facts].flatMap((store) => store.textsIn(texts));
    return [...new Set(held)];
  }

  /** Returns the numbers of the failed items that `erase` removes. */
  find(names: Set<string>, values: Set<string>, isFinished: boolean): number[] {
    return this.#hasSharedValue(values, isFinished) ? this.#failures.seqs() : this.#failures.find(names, values);
  }

  /**
   * Removes failed items with one of the names or values. If a finished process has a value in its shared data or
   * query, removes those and all failed items. Until it finishes, such items aren't kept if they fail. Returns whether
   * a retry has nothing left to do.
   */
  erase(names: Set<string>, values: Set<string>, isFinished: boolean): boolean {
    const hasShared = this.#hasSharedValue(values, isFinished);
    if (hasShared) this.#dropShared();
    else this.#failures.erase(names, values);
    // A process about a person continues until all is done: a retry needs the match.
    if (!isFinished && !this.#facts.isAboutPerson()) this.#failures.withhold(values);
    return hasShared;
  }

  /** Ends the process: returns the number of failed items removed with its shared data; undefined if that stays. */
  end(): number | undefined {
    if (!this.#failures.endWithholding(() => this.#facts.texts())) return undefined;
    return this.#dropShared();
  }

  #dropShared(): number {
    const dropped = this.#failures.takeAll().length;
    this.#facts.dropValues();
    return dropped;
  }

  #hasSharedValue(values: Set<string>, isFinished: boolean): boolean {
    return isFinished && this.#facts.textsIn(values).length > 0;
  }
}
