/** Work of the databases of a `timed-worker.ts` since the last query. */
export interface DatabaseWork {
  /** Milliseconds of statements, as D1 reports them. */
  millis: number;
  statements: number;
}

/** Where it reports the work. */
export const WORK_PATH = '/bench/work';
