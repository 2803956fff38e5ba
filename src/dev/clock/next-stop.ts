const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Precision of stops. A request with many stops uses larger steps, so that it comes to an end. */
const GRAINS = [
  { stops: 200, ms: SECOND_MS },
  { stops: 1_000, ms: MINUTE_MS },
  { stops: Number.POSITIVE_INFINITY, ms: HOUR_MS },
];

/**
 * Returns the next stop of a clock that is advanced to `goal`: the first due time or the next midnight in UTC, so that
 * work happens in order. `stops` is the number of stops so far.
 */
export function nextStop(now: number, goal: number, dueAt: number | undefined, stops: number): number {
  const { ms } = GRAINS.find((grain) => stops < grain.stops)!;
  const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const due = dueAt === undefined ? goal : Math.ceil(dueAt / ms) * ms;
  return Math.min(due, midnight, goal);
}
