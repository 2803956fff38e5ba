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
