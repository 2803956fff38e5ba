import { backOff } from './back-off.ts';
import { isTransient, RetriesExhausted } from './transient-error.ts';

const ATTEMPTS_MAX = 5;

/**
 * Runs `work` up to five times within a fraction of a second and throws the last error. Use it to record an action
 * outside the database that would otherwise be repeated. `work` must be safe to repeat, because a failure doesn't show
 * whether it took effect.
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
 * Runs `work` with the attempt number from 1, and retries transient errors up to four times within a fraction of a
 * second. Then throws `RetriesExhausted`. Throws other errors at once, and all errors if `isSafe` returns false.
 * `isSafe` is called only after an error.
 */
export async function retryUntilSettled<T>(
  work: (attempt: number) => Promise<T>,
  isSafe: () => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isTransient(error) || !isSafe()) throw error;
      if (attempt === ATTEMPTS_MAX) throw new RetriesExhausted(error);
      await backOff(attempt);
    }
  }
}
