/** What a job throws to be tried again at a time of its own choice; any other error is tried again when the queue likes. */
export class RetryLater extends Error {
  /** Seconds from now; absent: as the queue likes. */
  afterSeconds?: number;

  constructor(message: string, afterSeconds?: number) {
    super(message);
    this.name = 'RetryLater';
    this.afterSeconds = afterSeconds;
  }
}
