/** Errors of D1 after which an operation may be tried again (Cloudflare, D1 "List of D1_ERRORs"). */
export const TRANSIENT = [
  'Network connection lost',
  'storage caused object to be reset',
  'storage operation exceeded timeout which caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue on remote node',
  'D1 DB is overloaded',
] as const;

/** A transient error that did not go away: whoever gets it must not try again what was tried often enough. */
export class GaveUp extends Error {
  override name = 'GaveUp';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** What the runtime says of an error that a Durable Object's infrastructure throws (Cloudflare, "Error handling"). */
interface ObjectError extends Error {
  retryable?: boolean;
  overloaded?: boolean;
}

/**
 * Whether D1 or a Durable Object may do the same again without an error. The error does not say whether a write has
 * been committed.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof GaveUp) return false;
  const { retryable, overloaded }: ObjectError = error;
  if (retryable && !overloaded) return true;
  return TRANSIENT.some((text) => error.message.includes(text)) || isTransient(error.cause);
}
