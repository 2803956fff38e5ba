const MINUTE_MS = 60_000;
/** `wrangler dev` runs the scheduled handler when it is asked for this path, and never by itself. */
const SCHEDULED_PATH = '/cdn-cgi/local/scheduled';
const CRON = '* * * * *';

/**
 * Runs the Worker's cron trigger at each full minute, as the platform does, until the returned function is called.
 * `onError` gets what went wrong.
 */
export function startCronClock(origin: string, onError: (message: string) => void): () => void {
  let timer = setTimeout(tick, untilNextMinute(Date.now()));

  function tick(): void {
    timer = setTimeout(tick, untilNextMinute(Date.now()));
    fireCron(origin).catch((error: Error) => onError(`cron: ${error.message}`));
  }
  return () => clearTimeout(timer);
}

/** Milliseconds to the next full minute; a timer that fires a little early must not fire twice. */
export function untilNextMinute(now: number): number {
  const left = MINUTE_MS - (now % MINUTE_MS);
  return left < 1_000 ? left + MINUTE_MS : left;
}

async function fireCron(origin: string): Promise<void> {
  const query = new URLSearchParams({ cron: CRON, time: String(Date.now()) });
  const reply = await fetch(`${origin}${SCHEDULED_PATH}?${query}`, { signal: AbortSignal.timeout(MINUTE_MS) });
  if (!reply.ok) throw new Error(`the scheduled handler answered ${reply.status}: ${await reply.text()}`);
}
