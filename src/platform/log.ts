/** Writes one JSON line; `level` decides the console method, so that log tools can filter. */
export function logLine(level: 'info' | 'error', fields: Record<string, unknown>): void {
  const line = JSON.stringify({ level, ...fields });
  if (level === 'error') console.error(line);
  else console.log(line);
}

/** What a log says of an unknown error: name, message and stack, never sent to callers. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
