/** A number of slots that work shares. Each piece of work takes some and waits in line until enough are free. */
export class Slots {
  readonly #all: number;
  #free: number;
  #waiting: { slots: number; begin: () => void }[] = [];

  constructor(slots: number) {
    this.#all = slots;
    this.#free = slots;
  }

  /** Runs `work` in `slots` slots, or all of them if it needs more than exist. Settles like `work`. */
  async run<T>(slots: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(slots, this.#all);
    await new Promise<void>((begin) => {
      this.#waiting.push({ slots: taken, begin });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #admit(): void {
    while (this.#waiting[0] && this.#waiting[0].slots <= this.#free) {
      const { slots, begin } = this.#waiting.shift()!;
      this.#free -= slots;
      begin();
    }
  }
}

/**
 * Runs `work` for each item, at most `atATime` at once, and returns the results in the order of the list. After a
 * failure, starts no further items and throws the error.
 */
export async function mapConcurrent<T, R>(list: T[], atATime: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const at = next++;
      try {
        results[at] = await work(list[at]!);
      } catch (error) {
        next = list.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, list.length) }, worker));
  return results;
}

/** Returns whether an asynchronous condition holds for one of the items. Checks them in order, up to the first hit. */
export async function someAsync<T>(items: T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}
