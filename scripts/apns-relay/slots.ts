/** A semaphore with a waiting line. Its limit may change. */
export class Slots {
  #limit: number;
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  limit(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /** Resolves with a release function as soon as a slot is free, or with undefined if none is within `waitMs`. */
  async enter(waitMs: number): Promise<(() => void) | undefined> {
    if (this.#taken < this.#limit && this.#waiting.length === 0) {
      this.#taken += 1;
    } else if (!(await this.#wait(waitMs))) {
      return undefined;
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#taken -= 1;
      this.#admit();
    };
  }

  #wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve(false);
      }, waitMs);
      this.#waiting.push(enter);
    });
  }

  #admit(): void {
    while (this.#taken < this.#limit) {
      const enter = this.#waiting.shift();
      if (!enter) return;
      this.#taken += 1;
      enter();
    }
  }
}
