import type { Taken } from './service.ts';

/*
 * Costs of a change for the simulation. Tests check the rows (test/api/monthly-cost.test.ts, test/cron-cost.test.ts);
 * bytes are from `--only capacity`, and docs/performance.md names the source of each.
 */

/** Costs that `measureCosts` measures during the run. */
type Timed = 'changeMillis' | 'movedPerSecond';
type Costs = Omit<Taken, Timed>;

/** Months that events, deliveries and facts are kept. */
const EVENT_MONTHS = 32 / 30;
const FACT_MONTHS = 105 / 30;
/** Rows that the cron writes for deletions: one per event or delivery, and one for the facts of ten changes. */
const DELETED = 1;
const DELETED_FACTS = 0.1;

const TICK = { tickRowsRead: 190, tickRowsOfAccount: 8, tickRowsWritten: 1 };

/** Rows of a change until it is done, read at most: alone, and with its push, webhook and the device's requests. */
export const ROWS = {
  quiet: { written: 5, read: 30 },
  told: { written: 14, read: 110 },
};

/** Passes without a device, in accounts without a webhook. */
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

/** Passes on one device each, with all changes sent to a webhook: event with its body, delivery, and four facts. */
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
