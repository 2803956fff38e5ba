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
