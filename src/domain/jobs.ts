/**
 * Everything that a queue message can ask for, of an account whose rows it names. It doesn't carry rows: a message
 * holds 128 KB.
 */
export type Job = { accountId: string } & Work;

type Work =
  /** Applies the items of a process from `first` to `last`. */
  | { type: 'apply-process-range'; processId: string; first: number; last: number }
  /** Deletes the next rows and files of a deleted account. */
  | { type: 'delete-account' }
  /** Removes the next scans of a deleted app configuration. */
  | { type: 'delete-app-scans'; configurationId: string }
  /** Removes the kept pass file of a deleted pass from the bucket, and what else is kept of the pass. */
  | { type: 'delete-pass-files'; passId: string }
  /** Deletes the next passes of a deleted template. */
  | { type: 'delete-template-passes'; templateId: string }
  /** Ends the object that Google Wallet has of a deleted pass. */
  | { type: 'end-google-object'; passId: string }
  /** Erases what is kept of deleted passes, pass files among it. */
  | { type: 'erase-passes'; passIds: string[] }
  /** Imports the images that a pass still waits for. */
  | { type: 'import-pass-images'; passId: string }
  /** Gives Google Wallet the object of a pass that it has not from us yet. */
  | { type: 'publish-to-google'; passId: string }
  /** Delivers what a subscription has missed. */
  | { type: 'recover-webhooks'; subscriptionId: string }
  /** Sends an e-mail or SMS about a pass. */
  | { type: 'send-message'; messageId: string }
  /** Notifies the devices of a page of a fan-out. */
  | { type: 'push-page'; fanOutId: string; page: number }
  /** Notifies Apple's devices of changed passes, of up to a page of them. */
  | { type: 'push-passes'; passIds: string[] }
  /** Notifies one device that a pass, which it has just registered for, has changed before. */
  | { type: 'push-to-device'; passId: string; deviceId: string; passTypeId: string }
  /** Sends a changed pass to Google Wallet. */
  | { type: 'push-to-google'; passId: string }
  /** Selects the next passes of a process. */
  | { type: 'select-process-passes'; processId: string }
  /** Takes the push of an executed notification over from the cron. */
  | { type: 'push-template-notification'; notificationId: string }
  /** Cuts the next passes of a fan-out into pages. */
  | { type: 'walk-push-fan-out'; fanOutId: string };

/** Identifier of the row that a message names, for its log line; undefined where it names none, or many. */
export function subjectOf({ type: _, accountId: __, ...named }: Job | DeliveryJob): string | undefined {
  return Object.values(named).find((value) => typeof value === 'string');
}

export type DeliveryJobOf<T extends DeliveryJob['type']> = Extract<DeliveryJob, { type: T }>;
export type JobOf<T extends Job['type']> = Extract<Job, { type: T }>;

/** A job of the webhooks' own queue. It only says that deliveries may be due; the database knows which. */
export type DeliveryJob = { accountId: string } & (
  | /** Attempts what is due for a subscription. */ { type: 'deliver-webhooks'; subscriptionId: string }
  /**
   * Makes deliveries of the events that await it, of this account and others. Its message may also be that of a
   * `push-passes` job (`joinPushes` in `commit.ts`).
   */
  | { type: 'fan-out-events'; passIds?: string[] }
);

/** Has the tasks of the cron run in a database. Each has messages of its own, so that a slow one holds up no other. */
export interface Tick {
  type: 'tick';
  database: string;
}

/**
 * Bindings of the queues. Kinds of work with different needs have their own, so that a slow receiver, a burst of mails
 * or a large fan-out holds up nothing else. `wrangler.toml` says how many run at a time, docs/operations.md why.
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

/** The queue of a job; one of a type that this version doesn't know goes where it fails without harm. */
export function queueOf({ type }: Pick<Job | DeliveryJob | Tick, 'type'>): QueueName {
  // A failed one that somebody retries.
  if (type === 'tick') return 'TICKS';
  return Object.hasOwn(QUEUES, type) ? QUEUES[type] : 'JOBS';
}

const RETRY_DELAY_S = 5;
/** With it, a hundred retries outlast the four days for which a queue keeps a message. */
const RETRY_DELAY_MAX_S = 3_600;

/**
 * Seconds to wait before the attempt after the nth (from 1), doubling up to an hour, or as long as the other side asked
 * for.
 */
export function retryDelay(attempts: number, asked = 0): number {
  return Math.max(asked, Math.min(RETRY_DELAY_MAX_S, RETRY_DELAY_S * 2 ** (attempts - 1)));
}

/** Thrown by a job that is to be delivered again after a time that the other side asked for. */
export class RetryLater extends Error {
  afterSeconds: number;

  constructor(afterSeconds: number, reason: string) {
    super(reason);
    this.name = 'RetryLater';
    this.afterSeconds = afterSeconds;
  }
}
