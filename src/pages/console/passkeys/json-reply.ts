import { DomainError, ERROR_STATUS } from '../../../domain/errors.ts';
import type { ConsoleContext } from '../console-env.ts';

const RETRY_SECONDS = 60;

/** Returns JSON for the passkey script. Errors of a rule become its message. */
export async function jsonReply(c: ConsoleContext, work: () => Promise<object>): Promise<Response> {
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  try {
    return c.json(await work(), 200, headers);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return c.json({ message: error.message }, ERROR_STATUS[error.kind], headers);
  }
}

/** Returns the reply after too many attempts. */
export function tooManyTries(c: ConsoleContext): Response {
  const message = 'Too many attempts from your network. Try again in a minute.';
  return c.json({ message }, 429, { 'Retry-After': String(RETRY_SECONDS), 'Cache-Control': 'no-store' });
}

/** Returns the JSON body of a request. */
export async function bodyOf(c: ConsoleContext): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    return undefined;
  }
}
