const FIRST_WAIT_MS = 10;
const WAIT_MS_MAX = 640;

/**
 * Waits before the nth attempt (from 1) at something for which others compete: a random time below a bound that
 * doubles. Without it all of them would try again at once, and each round only one would succeed.
 */
export function backOff(attempt: number): Promise<void> {
  const bound = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return new Promise((resolve) => setTimeout(resolve, Math.random() * bound));
}
