/** What databases have done for a `timed-worker.ts` since it was asked last. */
export interface DatabaseWork {
  /** Milliseconds of statements, as D1 says it. */
  millis: number;
  statements: number;
}

/** Where it says so. */
export const WORK_PATH = '/bench/work';
