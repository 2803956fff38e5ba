/** A number of slots that work shares: each piece takes some, and waits in line until so many are free. */
export class Slots {
  readonly #all: number;
  #free: number;
  #waiting: { slots: number; begin: () => void }[] = [];

  constructor(slots: number) {
    this.#all = slots;
    this.#free = slots;
  }

  /** Runs `work` in `slots` slots, all of them if it asks for more than there are; settles as `work` does. */
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
