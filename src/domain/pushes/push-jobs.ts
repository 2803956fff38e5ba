import { type FollowUp, later } from '../enqueue.ts';
import { CALLS_PER_SECOND } from '../google-rate-limit/rate.ts';
import type { Job } from '../jobs.ts';
import { PAGE_PASSES } from './leases.ts';
import type { PushKind } from './table.ts';

/** A pass that a wallet must be notified of. */
export interface AskedPush {
  passId: string;
  accountId: string;
  wallet: PushKind;
}

/** Time over which the Google jobs of one call are spread at most, so that each begins within its lease. */
const SPREAD_S_MAX = 50;

/**
 * The jobs of requested pushes: devices of up to a page of an account's passes together, Google objects one by one,
 * since each is a request or two of its own, and spread over the time that Google's rate gives them.
 */
export function pushJobs(pushes: AskedPush[]): FollowUp[] {
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

/** The job of what is pushed one by one; none for Apple's devices. */
function singleJob({ accountId, passId, wallet }: AskedPush): Job[] | undefined {
  if (wallet === 'google') return [{ type: 'push-to-google', accountId, passId }];
  if (wallet === 'publication') return [{ type: 'publish-to-google', accountId, passId }];
  const [, passTypeId, deviceId] = DEVICE_KIND.exec(wallet) ?? [];
  // The pass first, which the log then names: a device's identifier opens the list of its passes.
  return passTypeId && deviceId ? [{ type: 'push-to-device', accountId, passId, passTypeId, deviceId }] : undefined;
}

const DEVICE_KIND = /^device (\S+) (.+)$/s;

/** Kind of the row of one device. */
export function deviceKind({ passTypeId, deviceId }: { passTypeId: string; deviceId: string }): PushKind {
  return `device ${passTypeId} ${deviceId}`;
}

/** A list in pieces of up to a page. */
export function pagesOf<T>(list: T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / PAGE_PASSES) }, (_, page) =>
    list.slice(page * PAGE_PASSES, (page + 1) * PAGE_PASSES),
  );
}
