const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between a failed attempt's end and the next attempt. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum random extension of a delay, so that failed deliveries don't all return at once. */
export const JITTER_PART_MAX = 0.2;

/** Time for which a subscription may fail before it is paused. */
export const PAUSED_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * Returns when the next attempt is due after `attemptCount` failed ones, UTC milliseconds; undefined if none is left.
 */
export function nextAttemptAt(attemptCount: number, now: number, random = Math.random()): number | undefined {
  const delay = RETRY_DELAYS_MS[attemptCount - 1];
  return delay === undefined ? undefined : Math.round(now + delay * (1 + JITTER_PART_MAX * random));
}
