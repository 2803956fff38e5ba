import { useViewer } from './viewer.ts';

/** A moment (UTC milliseconds) to the minute, in a time zone: that of the account unless the page belongs to none. */
export function Time({ at, timezone = useViewer().account.timezone }: { at: number; timezone?: string }) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}
