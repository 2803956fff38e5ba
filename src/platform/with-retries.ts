import { backOff } from './back-off.ts';
import { GaveUp, isTransient } from './transient-error.ts';

const ATTEMPTS_MAX = 5;

/**
 * Runs `work` until it succeeds, up to five times within a fraction of a second; throws what the last attempt threw.
 * For notes of what has happened outside the database, without which it would be done again. `work` must bear to be
 * repeated after it took effect, because a failure does not say whether it did.
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
      await backOff(attempt);
    }
  }
}

/**
 * Runs `work`, which gets the number of its attempt, from 1, and once more after each transient error, up to four
 * times within a fraction of a second. Then throws `GaveUp`; any other error at once, as all of them where `isSafe`,
 * which is asked after an error only, says that `work` must not run twice.
 */
export async function untilSettled<T>(
  work: (attempt: number) => Promise<T>,
  isSafe: () => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isTransient(error) || !isSafe()) throw error;
      if (attempt === ATTEMPTS_MAX) throw new GaveUp(error);
      await backOff(attempt);
    }
  }
}
