/**
 * A queue of work of which one piece runs at a time, in the order in which it came. What one piece throws does not
 * reach the next.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once everything before it has ended; settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
