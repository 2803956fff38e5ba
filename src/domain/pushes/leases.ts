/**
 * Time within which the queue must have begun what a commit asked for; afterwards the cron takes the job for lost and
 * sends another.
 */
export const HAND_OVER_LEASE_MS = 60_000;
/**
 * Time that a job has for what it began; who holds it longer counts as dead. Six connections at a time, each with a
 * timeout of 8 s, need less for a page of devices.
 */
export const WORK_LEASE_MS = 5 * 60_000;
/**
 * Pushes that could not be sent for this long are given up: devices ask by themselves, too, after a restart for
 * example.
 */
export const PUSH_LIFETIME_MS = 24 * 60 * 60_000;
/** Passes whose devices one job notifies. */
export const PAGE_PASSES = 100;
