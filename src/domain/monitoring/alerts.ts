import { DATABASE_BYTES_MAX } from '../databases/list-databases.ts';
import type { AlertDays, EndingCertificate } from './ending-certificates.ts';
import { BACKLOGS, type BacklogName, COUNTED_MAX, LISTED_MAX, type Measurement } from './gauges.ts';
import { shownBytes, shownSpan } from './send-operator-mails.ts';

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The outcome of a task in a cron run. */
export interface TaskOutcome {
  /** Its name; in a further database, after that of the database: `DB_1: purge-events`. */
  task: string;
  status: 'done' | 'failed' | 'overdue';
}

/** The data that alerts are computed from. */
export interface Observation extends Measurement {
  tasks: TaskOutcome[];
  /** The service's own certificates. */
  serviceCertificates?: EndingCertificate[];
  /** Databases besides the first whose cron does not run. */
  silent?: string[];
}

/** When operators get a mail, and what they can do. */
export interface AlertDefinition {
  title: string;
  /** The value is above the limit from `raiseAt` on, and below it again when less than `clearBelow`. */
  value: (seen: Observation) => number;
  raiseAt: number;
  clearBelow: number;
  /** The measured value, in a sentence. */
  detail: (seen: Observation) => string;
  /** For an alert about certificates: mails name all that expire within these days, although `detail` does not. */
  certificateDays?: AlertDays;
  nextStep: string;
  /** Section of docs/operations.md. */
  section: string;
  /** Time between mails about an alert that is still raised; default: a day. */
  remindAfterMs?: number;
}

/** Texts for the kinds of waiting work, and how long each may wait before an alert. */
export const BACKLOG_WORDS: Record<BacklogName, { title: string; minutesMax?: number; nextStep: string }> = {
  pushes: {
    title: 'Pushes to wallets',
    minutesMax: 30,
    nextStep:
      'Look for "push-refused" and "google" in the log. If only one account is affected, its certificate ' +
      'or Google issuer may be wrong; otherwise check the status pages of Apple and Google.',
  },
  pushPages: {
    title: 'Pages of template pushes',
    minutesMax: 60,
    nextStep: 'Look for failing "push-page" jobs in the log, and retry the failed jobs once you have fixed the cause.',
  },
  messages: {
    title: 'E-mails and text messages',
    minutesMax: 30,
    nextStep: 'Check the status of your e-mail and SMS provider, MAIL_FROM and the Twilio settings.',
  },
  events: {
    title: 'Pending events',
    minutesMax: 5,
    nextStep:
      'Look for failing "webhooks" lines in the log, and check whether the queue pass-wallet-webhooks is paused.',
  },
  deliveries: {
    title: 'Webhook deliveries and retries',
    nextStep: 'Failing endpoints are listed. Owners get an e-mail when a webhook is paused.',
  },
  images: {
    title: 'Image imports',
    minutesMax: 60,
    nextStep: 'Look for "pass-images" in the log, and check whether the queue pass-wallet-images is paused.',
  },
  processes: {
    title: 'Bulk operations',
    minutesMax: 15,
    nextStep: 'Look for errors of the Durable Object ProcessObject in the log. The cron wakes silent processes.',
  },
};

function counted(count: number, hasMore: boolean): string {
  return `${count.toLocaleString('en')}${hasMore ? '+' : ''}`;
}

function backlogAlert(name: BacklogName, minutesMax: number): AlertDefinition {
  const { title, nextStep } = BACKLOG_WORDS[name];
  return {
    title: `Backlog: ${title}`,
    value: ({ backlog }) => backlog[name].oldestMs ?? 0,
    raiseAt: minutesMax * MINUTE_MS,
    clearBelow: (minutesMax * MINUTE_MS) / 2,
    detail: ({ backlog }) => {
      const { waiting, hasMore, oldestMs } = backlog[name];
      return `${counted(waiting, hasMore)} waiting, the oldest for ${shownSpan(oldestMs ?? 0)}. The limit is ${minutesMax} minutes.`;
    },
    nextStep,
    section: 'backlog',
  };
}

function databaseAlert(percent: number, remindAfterMs: number): AlertDefinition {
  return {
    title: `The database is ${percent}% full`,
    value: ({ databaseBytes }) => databaseBytes,
    raiseAt: (DATABASE_BYTES_MAX * percent) / 100,
    clearBelow: (DATABASE_BYTES_MAX * (percent - 2)) / 100,
    detail: ({ databaseBytes }) => `${shownBytes(databaseBytes)} of ${shownBytes(DATABASE_BYTES_MAX)} are used.`,
    nextStep:
      'Delete old templates with their passes, and unused accounts. At 100% every write fails. The ' +
      'page of the service shows when that will be.',
    section: 'database-size',
    remindAfterMs,
  };
}

type Owner = 'account' | 'service';

/** Lists the measured certificates of a deployment that expire within `days`. */
function endingWithin(seen: Observation, owner: Owner, days: AlertDays): EndingCertificate[] {
  const { at, certificates, serviceCertificates = [] } = seen;
  const owned = owner === 'service' ? serviceCertificates : certificates.filter(({ accountId }) => accountId !== null);
  return owned.filter(({ validTo, isDevelopment }) => !isDevelopment && validTo < at + days * DAY_MS);
}

/** Counts the certificates that expire within `days`, also those that aren't listed. */
function countWithin(seen: Observation, owner: Owner, days: AlertDays): number {
  const counted = owner === 'account' ? (seen.ending?.[days] ?? 0) : 0;
  return Math.max(counted, endingWithin(seen, owner, days).length);
}

/** Names certificates in sentences. */
export function shownCertificates(ending: EndingCertificate[]): string {
  return ending
    .map(({ passTypeId, accountName, validTo }) => {
      const day = new Date(validTo).toISOString().slice(0, 10);
      return `${passTypeId} (${accountName ?? 'the service'}): ${day}.`;
    })
    .join(' ');
}

const CERTIFICATE_WORDS: Record<Owner, Pick<AlertDefinition, 'title' | 'nextStep'>> = {
  account: {
    title: 'A certificate expires',
    nextStep:
      'Renew the certificate in the Apple Developer account, and import it. Without a valid certificate, ' +
      'passes get no updates, and no new pass files are created.',
  },
  service: {
    title: 'The certificate of the service expires',
    nextStep:
      'Renew it in the Apple Developer account, and import it with "npm run -s admin -- certificate import". Without ' +
      'it, passes of all accounts that have no certificate get no updates, and no new pass files are created for them.',
  },
};

/** The service's certificates have alerts of their own: those of accounts may keep theirs raised all the time. */
function certificateAlert(owner: Owner, days: AlertDays, remindAfterMs: number): AlertDefinition {
  const { title, nextStep } = CERTIFICATE_WORDS[owner];
  return {
    title: `${title} within ${days} days`,
    value: (seen) => countWithin(seen, owner, days),
    raiseAt: 1,
    clearBelow: 1,
    detail: (seen) => {
      const listed = endingWithin(seen, owner, days);
      const more = countWithin(seen, owner, days) - listed.length;
      return [shownCertificates(listed), ...(more > 0 ? [`And ${more.toLocaleString('en')} more.`] : [])]
        .join(' ')
        .trim();
    },
    ...(owner === 'account' ? { certificateDays: days } : {}),
    nextStep,
    section: 'expiring-certificates',
    remindAfterMs,
  };
}

const WEBHOOK_LAG_MS_MAX = 2 * MINUTE_MS;
const FAILED_JOBS_MAX = 5;

const backlogAlerts = BACKLOGS.flatMap((name) => {
  const { minutesMax } = BACKLOG_WORDS[name];
  return minutesMax === undefined ? [] : [[`backlog-${name}`, backlogAlert(name, minutesMax)] as const];
});

/** All alerts by name, in display order. */
export const ALERTS: Record<string, AlertDefinition> = {
  databases: {
    title: 'The cron of a database is not running',
    value: ({ silent = [] }) => silent.length,
    raiseAt: 1,
    clearBelow: 1,
    detail: ({ silent = [] }) => `Not measured for ten minutes: ${silent.join(', ')}.`,
    nextStep:
      'Look for lines with "tick" and the name of the database in the log, and whether the queue ' +
      'pass-wallet-ticks is paused. Deliveries, pushes and deletions of its accounts wait.',
    section: 'cron-tasks',
  },
  'cron-tasks': {
    title: 'A cron task fails or is slow',
    value: ({ tasks }) => troubled(tasks).length,
    raiseAt: 1,
    clearBelow: 1,
    detail: ({ tasks }) => shownTasks(troubled(tasks)) || 'All tasks ended in time.',
    nextStep: 'Look for the task in the log: "event": "task" with its name and "level": "error" shows the error.',
    section: 'cron-tasks',
  },
  'webhook-lag': {
    title: 'Webhooks are late',
    value: ({ webhookLagMs }) => webhookLagMs,
    raiseAt: WEBHOOK_LAG_MS_MAX,
    clearBelow: WEBHOOK_LAG_MS_MAX / 2,
    detail: ({ webhookLagMs }) =>
      `The oldest event for a working endpoint is ${shownSpan(webhookLagMs)} late. The limit is ${shownSpan(WEBHOOK_LAG_MS_MAX)}.`,
    nextStep:
      'Check the backlog and the number of consumers of the queue pass-wallet-webhooks. If all consumers ' +
      'are busy, raise its max_concurrency in wrangler.toml.',
    section: 'webhook-lag',
  },
  ...Object.fromEntries(backlogAlerts),
  'failed-jobs': {
    title: 'Jobs run out of attempts',
    value: ({ failedJobs }) => failedJobs.lastHour,
    raiseAt: FAILED_JOBS_MAX,
    clearBelow: 1,
    detail: ({ failedJobs: { lastHour, waiting, hasMore } }) =>
      `${counted(lastHour, lastHour > COUNTED_MAX)} in the last hour, ${counted(waiting, hasMore)} in all.`,
    nextStep:
      'List them with "npm run -s admin -- dead-letter list". Fix the cause, then retry them with "dead-letter retry --all".',
    section: 'failed-jobs',
  },
  'database-90': databaseAlert(90, DAY_MS),
  'database-80': databaseAlert(80, 7 * DAY_MS),
  'service-certificate-7': certificateAlert('service', 7, DAY_MS),
  'service-certificate-30': certificateAlert('service', 30, 7 * DAY_MS),
  'certificates-7': certificateAlert('account', 7, DAY_MS),
  'certificates-30': certificateAlert('account', 30, 7 * DAY_MS),
};

/** Returns the tasks that failed or are slow. */
export function troubled(tasks: TaskOutcome[]): TaskOutcome[] {
  return tasks.filter(({ status }) => status !== 'done');
}

/** A cause in many databases would fill a mail, so only the first are named. */
function shownTasks(tasks: TaskOutcome[]): string {
  const shown = tasks.slice(0, LISTED_MAX).map(({ task, status }) => `${task} (${status})`);
  const more = tasks.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : [])].join(', ');
}

/** Returns the page and section of the documentation that explain an alert. */
export function docsOf({ section }: Pick<AlertDefinition, 'section'>): string {
  return `docs/operations.md#${section}`;
}
