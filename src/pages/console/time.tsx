import { formatDateTime, parseDateTime } from '../../platform/dates.ts';
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

/** A local date that was entered for a pass (`Y-m-d`, with or without a time). Another text is shown as it is. */
export function LocalTime({ text }: { text: string }) {
  const isDay = text.length <= 10;
  const at = parseDateTime(isDay ? `${text} 00:00` : text, 'UTC');
  if (at === undefined) return <>{text}</>;
  const time = isDay ? {} : ({ timeStyle: 'short' } as const);
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', ...time, timeZone: 'UTC' });
  return <time datetime={text}>{format.format(at)}</time>;
}
