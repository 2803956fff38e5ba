import { changeScan, type StoredScan, scansInState } from './scan-store.ts';
import { type Answer, isToRepeat, sendScan } from './send-scan.ts';

/** Notifies all tabs and the service worker that stored scans have changed. */
const CHANNEL = 'scanner';
/** Name of the background sync. */
export const SYNC_TAG = 'scans';

const channel = new BroadcastChannel(CHANNEL);

/** Calls `listen` when another tab or the service worker has changed stored scans. */
export function onChangeElsewhere(listen: () => void): void {
  channel.addEventListener('message', listen);
}

/** Result of a round of sending. */
export interface Flushed {
  /** Scans that got their answer. */
  answered: number;
  /** Scans that still wait. */
  left: number;
  /** Why the others wait. */
  obstacles: Set<'locked' | 'gone' | 'suspended' | 'failed' | 'unreachable'>;
  /** Whether there are some to be sent again after a while. */
  isToRepeat: boolean;
}

/**
 * Runs `work` as the only one that sends this scan, in all tabs and the service worker; undefined when another one
 * does.
 */
export function aloneWith<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
  // Pages that did not come over https have no locks, and no service worker to share with, either.
  if (!navigator.locks) return work();
  return navigator.locks.request(`scan ${id}`, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

/** Scans that may fail in a round before the service counts as unreachable. */
const FAILED_MAX = 3;

/**
 * Sends what waits, oldest first, because of two scans of a pass the earlier one counts. One that fails holds up those
 * of its own code and no others.
 */
export async function flush(): Promise<Flushed> {
  const waiting = await scansInState('waiting');
  const blocked = new Set<string>();
  const failed = new Set<string>();
  const flushed: Flushed = { answered: 0, left: 0, obstacles: new Set(), isToRepeat: false };
  for (const { id, base, value, scan } of waiting) {
    if (flushed.obstacles.has('unreachable') || blocked.has(base) || failed.has(value)) {
      flushed.left += 1;
      continue;
    }
    const answer = await aloneWith(id, async () => {
      const given = await sendScan(base, scan);
      await settle(id, given, false);
      return given;
    });
    if (answer?.kind === 'outcome' || answer?.kind === 'refused') {
      flushed.answered += 1;
      continue;
    }
    flushed.left += 1;
    if (!answer) continue;
    flushed.obstacles.add(answer.kind);
    if (answer.kind === 'failed') failed.add(value);
    else blocked.add(base);
    if (failed.size === FAILED_MAX) flushed.obstacles.add('unreachable');
  }
  flushed.isToRepeat = [...flushed.obstacles].some(isToRepeat);
  if (flushed.answered > 0) channel.postMessage('changed');
  return flushed;
}

/**
 * Writes down the answer to a scan, and returns the scan as it then is. `isShown`: the person gets to see this answer
 * right away.
 */
export function settle(id: string, answer: Answer, isShown: boolean): Promise<StoredScan | undefined> {
  return changeScan(id, (scan) => (scan.state === 'waiting' ? answered(scan, answer, isShown) : undefined));
}

/** What an answer changes of a scan; undefined when it is none. */
export function answered(scan: StoredScan, answer: Answer, isShown: boolean): Partial<StoredScan> | undefined {
  if (answer.kind !== 'outcome' && answer.kind !== 'refused') return undefined;
  const outcome = answer.kind === 'outcome' ? answer.outcome : null;
  const refusal = answer.kind === 'refused' ? answer.reason : null;
  const isGood = outcome !== null && isAdmitted(outcome.status);
  // A person who was told that a pass was used before learns nothing new from that answer.
  const isExpected = scan.shown === 'used' && outcome?.status === 1;
  return { outcome, refusal, state: isShown || isGood || isExpected ? 'settled' : 'conflict' };
}

/** Whether a status lets the holder in: 0 voided by this scan, 2 attendance noted. */
export function isAdmitted(status: number): boolean {
  return status === 0 || status === 2;
}
