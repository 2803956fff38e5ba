import type { Taken } from './service.ts';

/*
 * What a change takes, for the simulation. Tests hold the rows (test/api/monthly-cost.test.ts, test/cron-cost.test.ts);
 * bytes are those of `--only capacity`, and docs/performance.md names the source of each.
 */

/** What `measureCosts` finds out in the run. */
type Timed = 'changeMillis' | 'movedPerSecond';
type Costs = Omit<Taken, Timed>;

/** Months for which events, deliveries and facts are kept. */
const EVENT_MONTHS = 32 / 30;
const FACT_MONTHS = 105 / 30;
/** Rows that the cron writes when it deletes: an event or a delivery each one, and one for the facts of ten changes. */
const DELETED = 1;
const DELETED_FACTS = 0.1;

const TICK = { tickRowsRead: 190, tickRowsOfAccount: 8, tickRowsWritten: 1 };

/**
 * Rows of a change until it is done, those read at most: alone, and with its push, its webhook, and what the device
 * asks.
 */
export const ROWS = {
  quiet: { written: 5, read: 30 },
  told: { written: 16, read: 100 },
};

/** Passes that no device has, in accounts without a webhook. */
export const QUIET: Costs = {
  ...TICK,
  passBytes: 1_203 + 216,
  changeBytes: 216 * EVENT_MONTHS + 42 * FACT_MONTHS,
  changeRowsWritten: ROWS.quiet.written + DELETED + DELETED_FACTS,
  changeRowsRead: ROWS.quiet.read,
  changeMessages: 0,
  changeRequests: 1,
  changeCpuMillis: 10,
};

/** Passes on a device each, whose changes all go to a webhook: event with its body, delivery, and four facts. */
export const TOLD: Costs = {
  ...TICK,
  passBytes: 1_203 + 438 + 790,
  changeBytes: 790 * EVENT_MONTHS + 200 + 110 * FACT_MONTHS,
  changeRowsWritten: ROWS.told.written + 2 * DELETED + DELETED_FACTS,
  changeRowsRead: ROWS.told.read,
  changeMessages: 1,
  changeRequests: 4,
  changeCpuMillis: 20,
};
