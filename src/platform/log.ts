import { DrizzleQueryError } from 'drizzle-orm/errors';

/** Writes one JSON line; `level` decides the console method, so that log tools can filter. */
export function logLine(level: 'info' | 'error', fields: Record<string, unknown>): void {
  const line = JSON.stringify({ level, ...fields });
  if (level === 'error') console.error(line);
  else console.log(line);
}

/** What a log says of an unknown error: name, message and stack, and those of its cause; never sent to callers. Operands of statements, which drizzle adds to its message, may be secrets and are left out. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const operands = error instanceof DrizzleQueryError ? `\nparams: ${error.params}` : '';
  const words = (error.stack ?? `${error.name}: ${error.message}`).replace(operands, () => '');
  return error.cause === undefined ? words : `${words}\ncaused by ${describeError(error.cause)}`;
}
