import { changeScan, type StoredScan, scansInState } from './scan-store.ts';
import { type Answer, isToRepeat, sendScan } from './send-scan.ts';

/** Notifies all tabs and the service worker of changed scans. */
const CHANNEL = 'scanner';
/** Name of the background sync. */
export const SYNC_TAG = 'scans';

const channel = new BroadcastChannel(CHANNEL);

/** Calls `listen` when another tab or the service worker has changed scans. */
export function onChangeElsewhere(listen: () => void): void {
  channel.addEventListener('message', listen);
}

/** Result of a round of sending. */
interface Flushed {
  /** Number of scans that got an answer. */
  answered: number;
  /** Number of scans that still wait. */
  left: number;
  /** Why the remaining scans wait. */
  obstacles: Set<'locked' | 'gone' | 'suspended' | 'failed' | 'unreachable'>;
  /** Whether some scans should be sent again later. */
  isToRepeat: boolean;
}

/**
 * Runs `work` as the only sender of this scan, across all tabs and the service worker. Resolves to undefined if another
 * one is sending it.
 */
export function aloneWith<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
  // Pages without https have no locks, but also no service worker to share scans with.
  if (!navigator.locks) return work();
  return navigator.locks.request(`scan ${id}`, { ifAvailable: true }, (lock) => (lock ? work() : undefined));
}

/** Number of failed scans in a round after which the service counts as unreachable. */
const FAILED_MAX = 3;

/**
 * Sends waiting scans, oldest first, because the earlier scan of a pass takes precedence. A failed scan blocks only
 * scans of the same code.
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

/** Stores the answer to a scan, and returns the updated scan. `isShown`: the person sees this answer immediately. */
export function settle(id: string, answer: Answer, isShown: boolean): Promise<StoredScan | undefined> {
  return changeScan(id, (scan) => (scan.state === 'waiting' ? answered(scan, answer, isShown) : undefined));
}

/** Returns the changes to a scan by an answer; undefined if the scan still waits for one. */
export function answered(scan: StoredScan, answer: Answer, isShown: boolean): Partial<StoredScan> | undefined {
  if (answer.kind !== 'outcome' && answer.kind !== 'refused') return undefined;
  const outcome = answer.kind === 'outcome' ? answer.outcome : null;
  const refusal = answer.kind === 'refused' ? answer.reason : null;
  const isGood = outcome !== null && isAdmitted(outcome.status);
  // A person who was already told that the pass was used learns nothing new.
  const isExpected = scan.shown === 'used' && outcome?.status === 1;
  return { outcome, refusal, state: isShown || isGood || isExpected ? 'settled' : 'conflict' };
}

/** Returns whether a status lets the holder in: 0 (voided by this scan) or 2 (attendance recorded). */
export const isAdmitted = (status: number): boolean => status === 0 || status === 2;
