import { type FollowUp, later } from '../enqueue.ts';
import { CALLS_PER_SECOND } from '../google-rate-limit/rate.ts';
import type { Job } from '../jobs.ts';
import { PAGE_PASSES } from './leases.ts';
import type { PushKind } from './table.ts';

/** A pass to push to a wallet. */
export interface RequestedPush {
  passId: string;
  accountId: string;
  wallet: PushKind;
}

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
      pagesOf(ofAccount).map(
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

/** Splits a list into pages. */
export function pagesOf<T>(list: T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / PAGE_PASSES) }, (_, page) =>
    list.slice(page * PAGE_PASSES, (page + 1) * PAGE_PASSES),
  );
}
