import { isTransient, RetriesExhausted } from './transient-error.ts';

/** Returns whether an error shows that D1 or a Durable Object is overloaded or unreachable, which is temporary. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The runtime sets this on an error of a Durable Object (Cloudflare, "Error handling").
  const { overloaded }: { overloaded?: boolean } & Error = error;
  return error instanceof RetriesExhausted || overloaded === true || isTransient(error) || isPassing(error.cause);
}
