import { GaveUp, isTransient } from './transient-error.ts';

/** Whether an error says that D1 or a Durable Object has too much to do or is out of reach, and that this passes. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // What the runtime says of an error of a Durable Object (Cloudflare, "Error handling").
  const { overloaded }: { overloaded?: boolean } & Error = error;
  return error instanceof GaveUp || overloaded === true || isTransient(error) || isPassing(error.cause);
}
