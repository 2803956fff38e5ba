/** Everything that a queue message can ask for. Messages name rows, they do not carry them (a message holds 128 KB). */
export type Job =
  /** Applies the items of a process from `first` to `last`. */
  | { type: 'apply-process-range'; processId: string; first: number; last: number }
  /** Removes the kept pass file of a deleted pass from the bucket. */
  | { type: 'delete-pass-files'; passId: string }
  /** Deletes the next passes of a deleted template. */
  | { type: 'delete-template-passes'; templateId: string }
  /** Imports the images that a pass still waits for. */
  | { type: 'import-pass-images'; passId: string }
  /** Makes Google Wallet have what a pass shows now. */
  | { type: 'publish-to-google'; passId: string }
  /** Tells the devices of a page of a fan-out. */
  | { type: 'push-page'; fanOutId: string; page: number }
  /** Tells Apple's devices of changed passes, of up to a page of them. */
  | { type: 'push-passes'; passIds: string[] }
  /** Tells Google Wallet of a changed pass. */
  | { type: 'push-to-google'; passId: string }
  /** Selects the next passes of a process. */
  | { type: 'select-process-passes'; processId: string }
  /** Takes the push of an executed notification over from the cron. */
  | { type: 'push-template-notification'; notificationId: string }
  /** Cuts the next passes of a fan-out into pages. */
  | { type: 'walk-push-fan-out'; fanOutId: string };

export type JobOf<T extends Job['type']> = Extract<Job, { type: T }>;

/** Thrown by a job that is to be delivered again after a time that the other side asked for. */
export class RetryLater extends Error {
  afterSeconds: number;

  constructor(afterSeconds: number, reason: string) {
    super(reason);
    this.name = 'RetryLater';
    this.afterSeconds = afterSeconds;
  }
}
