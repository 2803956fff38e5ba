import { formatDateTime } from '../../platform/dates.ts';
import { useViewer } from './viewer.ts';

/** A time (UTC milliseconds) with minutes, by default in the account's time zone. */
export function Time({ at, timezone = useViewer().account.timezone }: { at: number; timezone?: string }) {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>{format.format(at)}</time>;
}

/**
 * The end of a validity (UTC milliseconds). At midnight it is the end of the day before, as people enter it: the end of
 * 31 December, not the first minute of January.
 */
export function EndTime({ at }: { at: number }) {
  const { timezone } = useViewer().account;
  if (!formatDateTime(at, timezone).endsWith(' 00:00:00')) return <Time at={at} />;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: timezone });
  return <time datetime={new Date(at).toISOString()}>at the end of {format.format(at - 1)}</time>;
}
