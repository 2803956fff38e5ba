import type { Notification } from '../../../../domain/notifications/table.ts';
import { formatMinute } from '../../../../platform/dates.ts';
import { dayOf, type Month, monthName } from './month.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

interface MonthTableProps {
  month: Month;
  entries: Notification[];
  timezone: string;
  /** UTC milliseconds. */
  now: number;
}

/** A month as a table of weeks, with what happens on each day. */
export function MonthTable({ month, entries, timezone, now }: MonthTableProps) {
  const byDay = Map.groupBy(entries, ({ publicationAt }) => dayOf(publicationAt, timezone));
  const today = monthName(now, timezone) === month.name ? dayOf(now, timezone) : undefined;
  return (
    <table class="month" aria-labelledby="month">
      <thead>
        <tr>
          {DAYS.map((day) => (
            <th scope="col">
              <abbr title={day}>{day.slice(0, 2)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week) => (
          <tr>
            {week.map((day) => (
              <td aria-current={day !== null && day === today ? 'date' : undefined}>
                {day !== null && <Day day={day} entries={byDay.get(day) ?? []} timezone={timezone} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, entries, timezone }: { day: number; entries: Notification[]; timezone: string }) {
  return (
    <>
      <span class="day">{day}</span>
      {entries.map(({ publicationAt, state, text }) => (
        <span class={`entry ${state}`} title={text ?? 'Publication'}>
          <span class="entry-time">{formatMinute(publicationAt, timezone).slice(11)}</span>
          <span class="entry-text"> {text ?? 'Publication'}</span>
        </span>
      ))}
    </>
  );
}
