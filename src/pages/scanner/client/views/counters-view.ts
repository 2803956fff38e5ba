import { numberText } from '../page/boot.ts';
import { element } from '../page/elements.ts';
import { isAdmitted } from '../queue/scan-queue.ts';
import type { StoredScan } from '../queue/scan-store.ts';

const MINUTE_MILLIS = 60_000;
const TICK_MILLIS = 5_000;

/** Today's scans by identifier. */
const scans = new Map<string, { at: number; isRefused: boolean }>();
let lastTick: ReturnType<typeof setTimeout> | undefined;

/** Returns midnight on the device in UTC milliseconds. The counters restart each day. */
export const startOfDay = (): number => new Date().setHours(0, 0, 0, 0);

/** Counts a scan, or updates its result. */
export function count({ id, scannedAt, outcome, refusal, isUndone }: StoredScan): void {
  if (isUndone) scans.delete(id);
  else
    scans.set(id, { at: scannedAt, isRefused: refusal !== null || (outcome !== null && !isAdmitted(outcome.status)) });
}

/** Shows the counters. The last one changes as time passes. */
export function showCounters(): void {
  const today = startOfDay();
  const lastMinute = Date.now() - MINUTE_MILLIS;
  let [refused, recent] = [0, 0];
  for (const [id, { at, isRefused }] of scans) {
    if (at < today) scans.delete(id);
    else if (isRefused) refused += 1;
    if (at > lastMinute) recent += 1;
  }
  element('count-scanned').textContent = numberText(scans.size);
  element('count-refused').textContent = numberText(refused);
  element('count-minute').textContent = numberText(recent);
  clearTimeout(lastTick);
  if (recent > 0) lastTick = setTimeout(showCounters, TICK_MILLIS);
}
