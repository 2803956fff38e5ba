import { slicesOf } from '../../platform/chunks.ts';
import { type FollowUp, later } from '../enqueue.ts';
import { CALLS_PER_SECOND } from '../google-rate-limit/rate.ts';
import type { Job } from '../jobs.ts';
import type { PendingPush, PushKind } from './table.ts';

/**
 * Time in which the queue must start the job of a commit, in milliseconds. After it, the cron considers the job lost
 * and sends another one.
 */
export const HAND_OVER_LEASE_MS = 60_000;
/**
 * Lease of a job on its work, in milliseconds. Six simultaneous connections with a timeout of 8 s take less for a page
 * of devices.
 */
export const WORK_LEASE_MS = 5 * 60_000;
/**
 * Pushes that failed for this long are dropped, in milliseconds. Devices also ask on their own, for example after a
 * restart.
 */
export const PUSH_LIFETIME_MS = 24 * 60 * 60_000;
/** Number of passes whose devices one job notifies. */
export const PAGE_PASSES = 100;

/** A pass to push to a wallet. */
type RequestedPush = Pick<PendingPush, 'passId' | 'accountId' | 'wallet'>;

/** Maximum time over which the Google jobs of one call are spread, in seconds, so that each begins within its lease. */
const SPREAD_S_MAX = 50;

/**
 * Returns the jobs of requested pushes. Devices of up to a page of an account's passes share one. Each Google object
 * has its own, since it takes a request or two; they are spread over the time that Google's rate limit requires.
 */
export function pushJobs(pushes: RequestedPush[]): FollowUp[] {
  const apple = pushes.filter(({ wallet }) => wallet === 'apple');
  const single = pushes.flatMap((push): Job[] => singleJob(push) ?? []);
  const perSecond = Math.max(CALLS_PER_SECOND, single.length / SPREAD_S_MAX);
  return [
    ...[...Map.groupBy(apple, ({ accountId }) => accountId)].flatMap(([accountId, ofAccount]) =>
      slicesOf(ofAccount, PAGE_PASSES).map(
        (page): Job => ({ type: 'push-passes', accountId, passIds: page.map(({ passId }) => passId) }),
      ),
    ),
    ...single.map((job, i) => later(job, i / perSecond)),
  ];
}

/** Returns the job of a push that is sent on its own; none for Apple devices. */
function singleJob({ accountId, passId, wallet }: RequestedPush): Job[] | undefined {
  if (wallet === 'google') return [{ type: 'push-to-google', accountId, passId }];
  if (wallet === 'publication') return [{ type: 'publish-to-google', accountId, passId }];
  const [, passTypeId, deviceId] = DEVICE_KIND.exec(wallet) ?? [];
  // The pass comes first, so that the log names it: a device identifier gives access to the list of its passes.
  return passTypeId && deviceId ? [{ type: 'push-to-device', accountId, passId, passTypeId, deviceId }] : undefined;
}

const DEVICE_KIND = /^device (\S+) (.+)$/s;

/** Returns the kind of a row for a single device. */
export function deviceKind({ passTypeId, deviceId }: { passTypeId: string; deviceId: string }): PushKind {
  return `device ${passTypeId} ${deviceId}`;
}
