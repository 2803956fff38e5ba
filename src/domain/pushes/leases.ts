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
