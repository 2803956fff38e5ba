const FIRST_WAIT_MS = 10;
const WAIT_MS_MAX = 640;

/**
 * Waits before the nth attempt (from 1) at a contended resource: a random time below a bound that doubles. Otherwise
 * all competitors would retry at once, and only one would succeed in each round.
 */
export function backOff(attempt: number): Promise<void> {
  const bound = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return new Promise((resolve) => setTimeout(resolve, Math.random() * bound));
}
