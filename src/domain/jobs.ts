/**
 * Body of a queue message: work for the account whose rows it names. It doesn't carry rows, because a message holds 128
 * KB.
 */
export type Job = { accountId: string } & Work;

type Work =
  /** Applies items `first` to `last` of a process. */
  | { type: 'apply-process-range'; processId: string; first: number; last: number }
  /** Deletes the next rows and files of a deleted account. */
  | { type: 'delete-account' }
  /** Deletes the next scans of a deleted app configuration. */
  | { type: 'delete-app-scans'; configurationId: string }
  /** Deletes the stored pass file of a deleted pass from the bucket, and the other remaining data of the pass. */
  | { type: 'delete-pass-files'; passId: string }
  /** Deletes the next passes of a deleted template. */
  | { type: 'delete-template-passes'; templateId: string }
  /** Ends a deleted pass's object at Google Wallet. */
  | { type: 'end-google-object'; passId: string }
  /** Erases the remaining data of deleted passes, including pass files. */
  | { type: 'erase-passes'; passIds: string[] }
  /** Imports the pending images of a pass. */
  | { type: 'import-pass-images'; passId: string }
  /** Creates a pass's object at Google Wallet if it isn't there yet. */
  | { type: 'publish-to-google'; passId: string }
  /** Delivers the events that a subscription missed. */
  | { type: 'recover-webhooks'; subscriptionId: string }
  /** Sends an e-mail or SMS about a pass. */
  | { type: 'send-message'; messageId: string }
  /** Notifies the devices of one page of a fan-out. */
  | { type: 'push-page'; fanOutId: string; page: number }
  /** Notifies Apple devices of changed passes, at most one page of them. */
  | { type: 'push-passes'; passIds: string[] }
  /** Notifies one device that a pass changed before the device registered for it. */
  | { type: 'push-to-device'; passId: string; deviceId: string; passTypeId: string }
  /** Sends a changed pass to Google Wallet. */
  | { type: 'push-to-google'; passId: string }
  /** Selects the next passes of a process. */
  | { type: 'select-process-passes'; processId: string }
  /** Sends the push of an executed notification, in place of the cron. */
  | { type: 'push-template-notification'; notificationId: string }
  /** Splits the next passes of a fan-out into pages. */
  | { type: 'walk-push-fan-out'; fanOutId: string };

/** Returns the identifier of the row that a message names, for its log line; undefined if it names none, or several. */
export function subjectOf({ type: _, accountId: __, ...named }: Job | DeliveryJob): string | undefined {
  return Object.values(named).find((value) => typeof value === 'string');
}

export type DeliveryJobOf<T extends DeliveryJob['type']> = Extract<DeliveryJob, { type: T }>;
export type JobOf<T extends Job['type']> = Extract<Job, { type: T }>;

/** A job on the queue of webhooks. It only signals that deliveries may be due; the database knows which. */
export type DeliveryJob = { accountId: string } & (
  | /** Attempts what is due for a subscription. */ { type: 'deliver-webhooks'; subscriptionId: string }
  /**
   * Creates the deliveries of pending events, of this account and others, and sends the pushes of the same changes. A
   * message of an earlier build also stands for a `push-passes` job.
   */
  | { type: 'fan-out-events'; passIds?: string[] }
);

/** Runs the cron tasks of one database. Each database has its own messages, so a slow one delays no other. */
export interface Tick {
  type: 'tick';
  database: string;
}

/**
 * Bindings of the queues. Kinds of work with different needs have their own queue, so a slow receiver, a burst of mails
 * or a large fan-out delays nothing else. `wrangler.toml` sets their concurrency; docs/operations.md explains it.
 */
export type QueueName = 'JOBS' | 'PUSHES' | 'MESSAGES' | 'IMPORTS' | 'WEBHOOKS' | 'TICKS';

const QUEUES: Record<(Job | DeliveryJob)['type'], QueueName> = {
  'apply-process-range': 'JOBS',
  'delete-account': 'JOBS',
  'delete-app-scans': 'JOBS',
  'delete-pass-files': 'JOBS',
  'delete-template-passes': 'JOBS',
  'deliver-webhooks': 'WEBHOOKS',
  'end-google-object': 'PUSHES',
  'erase-passes': 'JOBS',
  'fan-out-events': 'WEBHOOKS',
  'import-pass-images': 'IMPORTS',
  'publish-to-google': 'PUSHES',
  'push-page': 'PUSHES',
  'push-passes': 'PUSHES',
  'push-template-notification': 'PUSHES',
  'push-to-device': 'PUSHES',
  'push-to-google': 'PUSHES',
  'recover-webhooks': 'JOBS',
  'select-process-passes': 'JOBS',
  'send-message': 'MESSAGES',
  'walk-push-fan-out': 'PUSHES',
};

/** The types of all jobs. */
export const JOB_TYPES = Object.keys(QUEUES) as (Job | DeliveryJob)['type'][];

/** Returns the queue of a job. A type that this version doesn't know goes to a queue where failing does no harm. */
export function queueOf({ type }: Pick<Job | DeliveryJob | Tick, 'type'>): QueueName {
  // A dead letter that is retried.
  if (type === 'tick') return 'TICKS';
  return Object.hasOwn(QUEUES, type) ? QUEUES[type] : 'JOBS';
}

const RETRY_DELAY_S = 5;
/** With this maximum, a hundred retries outlast the four days for which a queue keeps a message. */
const RETRY_DELAY_MAX_S = 3_600;

/**
 * Returns the seconds to wait after attempt `attempts` (from 1): doubling up to an hour, or the delay that the third
 * party requested.
 */
export function retryDelay(attempts: number, asked = 0): number {
  return Math.max(asked, Math.min(RETRY_DELAY_MAX_S, RETRY_DELAY_S * 2 ** (attempts - 1)));
}

/** Thrown by a job to be retried after a delay that a third party requested. */
export class RetryLater extends Error {
  afterSeconds: number;

  constructor(afterSeconds: number, reason: string) {
    super(reason);
    this.name = 'RetryLater';
    this.afterSeconds = afterSeconds;
  }
}

/** Thrown by a job to be retried whose row is still due: after the last attempt of its message, the cron resumes it. */
export class ResumableRetry extends RetryLater {}

/**
 * Returns the error to throw from a job whose row is still due. Unexpected errors stay unchanged, so that their message
 * becomes a dead letter.
 */
export function asResumable(error: unknown): unknown {
  return error instanceof RetryLater ? new ResumableRetry(error.afterSeconds, error.message) : error;
}
