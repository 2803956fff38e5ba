import type { FactsStore } from './facts-store.ts';
import type { FailureStore } from './failure-store.ts';
import type { RangeStore } from './range-store.ts';

/** Numbers of the failed items of a process that were removed, and whether others can still fail. */
export interface ErasedItems {
  erased: number[];
  isOpen: boolean;
}

/** The values of persons that the parts of one process hold: its failed and open items, its shared data, its query. */
export class HeldValues {
  #failures: FailureStore;
  #ranges: RangeStore;
  #facts: FactsStore;

  constructor(failures: FailureStore, ranges: RangeStore, facts: FactsStore) {
    this.#failures = failures;
    this.#ranges = ranges;
    this.#facts = facts;
  }

  /** Those of the texts, folded, that it holds. */
  textsIn(texts: Set<string>): string[] {
    const held = [this.#failures, this.#ranges, this.#facts].flatMap((store) => store.textsIn(texts));
    return [...new Set(held)];
  }

  /** Numbers of the failed items that `erase` removes. */
  find(names: Set<string>, values: Set<string>, isFinished: boolean): number[] {
    return this.#sharesOne(values, isFinished) ? this.#failures.seqs() : this.#failures.find(names, values);
  }

  /**
   * Removes failed items that a name names or that have one of the values, and all of them once the process has ended
   * whose shared data or query has one, with these. Before it has ended, such items are not kept if they fail later.
   * Returns whether nothing is left that a retry could do.
   */
  erase(names: Set<string>, values: Set<string>, isFinished: boolean): boolean {
    const sharesOne = this.#sharesOne(values, isFinished);
    if (sharesOne) this.#dropShared();
    else this.#failures.erase(names, values);
    // A process about the person goes on until all is done: a retry needs what tells the person.
    if (!isFinished && !this.#facts.isAboutPerson()) this.#failures.withhold(values);
    return sharesOne;
  }

  /** For a process that ends: how many failed items go with its shared data; undefined where that stays. */
  end(): number | undefined {
    if (!this.#failures.endWithholding(() => this.#facts.texts())) return undefined;
    return this.#dropShared();
  }

  #dropShared(): number {
    const dropped = this.#failures.takeAll().length;
    this.#facts.dropValues();
    return dropped;
  }

  #sharesOne(values: Set<string>, isFinished: boolean): boolean {
    return isFinished && this.#facts.textsIn(values).length > 0;
  }
}
