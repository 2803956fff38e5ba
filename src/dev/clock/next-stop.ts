const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How exact stops are: a request that makes many goes on in larger steps, so that it comes to an end. */
const GRAINS = [
  { stops: 200, ms: SECOND_MS },
  { stops: 1_000, ms: MINUTE_MS },
  { stops: Number.POSITIVE_INFINITY, ms: HOUR_MS },
];

/**
 * Where a clock that is advanced to `goal` stops next, so that what is due happens in order: at what is due first, and
 * at each midnight in UTC. `stops` are those it has made.
 */
export function nextStop(now: number, goal: number, dueAt: number | undefined, stops: number): number {
  const { ms } = GRAINS.find((grain) => stops < grain.stops)!;
  const midnight = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const due = dueAt === undefined ? goal : Math.ceil(dueAt / ms) * ms;
  return Math.min(due, midnight, goal);
}
