import { parseDateTime } from '../../../platform/dates.ts';

export const MOMENT_HINT = 'must look like 2026-12-24 09:10 or 2026-12-24T09:10:00+01:00';

const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the UTC milliseconds of a date and time, in `timezone` if it has no zone; undefined for anything else. */
export function momentOf(text: string, timezone: string): number | undefined {
  if (!WITH_ZONE.test(text)) return parseDateTime(text, timezone);
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? undefined : millis;
}

/** Whether a text is a date and time. */
export function isMoment(text: string): boolean {
  return momentOf(text, 'UTC') !== undefined;
}
