import { useViewer } from './viewer.ts';

/** A time (UTC milliseconds) with minutes, by default in the account's time zone. */
export function Time({ at, timezone = useViewer().account.timezone }: { at: number; timezone?: string }) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}
