/** D1 errors after which an operation may be retried (Cloudflare, D1 "List of D1_ERRORs"). */
export const TRANSIENT = [
  'Network connection lost',
  'storage caused object to be reset',
  'storage operation exceeded timeout which caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue on remote node',
  'D1 DB is overloaded',
] as const;

/** A transient error that persisted through all retries. Code that catches it must not retry again. */
export class RetriesExhausted extends Error {
  override name = 'RetriesExhausted';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Members of errors that a Durable Object's infrastructure throws (Cloudflare, "Error handling"). */
interface ObjectError extends Error {
  retryable?: boolean;
  overloaded?: boolean;
}

/**
 * Returns whether an operation of D1 or a Durable Object may succeed if retried. The error doesn't show whether a write
 * was committed.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof RetriesExhausted) return false;
  const { retryable, overloaded }: ObjectError = error;
  if (retryable && !overloaded) return true;
  return TRANSIENT.some((text) => error.message.includes(text)) || isTransient(error.cause);
}

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
