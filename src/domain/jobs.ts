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
  /** Sends an e-mail or SMS about a pass. */
  | { type: 'send-message'; messageId: string }
  /** Selects the next passes of a process. */
  | { type: 'select-process-passes'; processId: string }
  /** Takes the push of an executed notification over from the cron. */
  | { type: 'push-template-notification'; notificationId: string };

export type JobOf<T extends Job['type']> = Extract<Job, { type: T }>;
