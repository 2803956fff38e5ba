/** Runs one piece of work at a time, in the order of calls. An error of one piece does not reach the next. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once everything before it has ended; settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
