const MINUTE_MS = 60_000;

/** Calls `fire` every full minute, like the platform's cron trigger, until the returned function is called. */
export function startCronClock(fire: (scheduledAt: Date) => Promise<unknown>): () => void {
  let timer = setTimeout(tick, untilNextMinute(Date.now()));

  function tick(): void {
    timer = setTimeout(tick, untilNextMinute(Date.now()));
    fire(new Date()).catch((error: Error) => console.error(`cron: ${error.message}`));
  }
  return () => clearTimeout(timer);
}

/** Returns milliseconds to the next full minute. A timer that fires a little early must not fire twice. */
export function untilNextMinute(now: number): number {
  const left = MINUTE_MS - (now % MINUTE_MS);
  return left < 1_000 ? left + MINUTE_MS : left;
}
