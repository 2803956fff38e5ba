/** A moment (UTC milliseconds) in the time zone of an account, to the minute. */
export function Time({ at, timezone }: { at: number; timezone: string }) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}
