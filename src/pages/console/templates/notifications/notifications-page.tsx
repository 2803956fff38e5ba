import type { NotificationCalendar } from '../../../../domain/notifications/list-month.ts';
import type { Notification } from '../../../../domain/notifications/table.ts';
import type { Template } from '../../../../domain/templates/table.ts';
import { versionNumber } from '../../../../domain/versions.ts';
import { formatMinute } from '../../../../platform/dates.ts';
import { TextArea, TextField } from '../../fields.tsx';
import { Table } from '../../list-table.tsx';
import { Badge, Confirm, EmptyState, formatPassCount, Pager, Panel, Problems, SubmitButton } from '../../parts.tsx';
import { Time } from '../../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../../viewer.ts';
import { SECTION, TemplateLayout } from '../template-layout.tsx';
import { dayOf, type Month, monthName } from './month.ts';

export interface NotificationsPageProps {
  template: Template;
  month: Month;
  calendar: NotificationCalendar;
  /** UTC milliseconds. */
  now: number;
  /** Position of the last entry, for the next page of the list. */
  next?: string;
  isFirst: boolean;
  typed?: { text: string; date: string };
}

/** The page with past and scheduled notifications of a template, by month. */
export function NotificationsPage(props: NotificationsPageProps) {
  const { template, month, calendar, next, isFirst } = props;
  const path = hrefTo(SECTION, template.id, 'notifications');
  const mayEdit = viewerHas('templates.edit');
  const list = `${path}?month=${month.name}`;
  return (
    <TemplateLayout template={template} current="notifications">
      <Problems />
      <div class="calendar-page">
        <Panel id="month" title={month.title} aside={<MonthLinks {...props} path={path} />}>
          <MonthTable month={month} entries={calendar.entries} now={props.now} />
        </Panel>
        {mayEdit && <ScheduleForm {...props} path={path} />}
      </div>
      {calendar.entries.length === 0 ? (
        <EmptyState title={`No notifications in ${month.title}`} action={<Nearest {...props} path={path} />}>
          {mayEdit
            ? 'Schedule a push above, or schedule the publication of a new version.'
            : 'No pushes in this month.'}
        </EmptyState>
      ) : (
        <Panel id="entries" title="This month">
          <EntryTable {...props} path={path} mayEdit={mayEdit} />
          <Pager newer={isFirst ? undefined : list} older={next && `${list}&after=${next}`} />
        </Panel>
      )}
    </TemplateLayout>
  );
}

type Within = NotificationsPageProps & { path: string };

function MonthLinks({ month, path }: Within) {
  return (
    <nav class="month-links" aria-label="Months">
      <a href={`${path}?month=${month.previous}`} aria-label="Previous month">
        ←
      </a>
      <a href={path}>Today</a>
      <a href={`${path}?month=${month.next}`} aria-label="Next month">
        →
      </a>
    </nav>
  );
}

function Nearest({ calendar: { previousAt, nextAt }, path }: Within) {
  const link = (at: number | undefined, title: string) =>
    at !== undefined && <a href={`${path}?month=${monthName(at, useViewer().account.timezone)}`}>{title}</a>;
  if (previousAt === undefined && nextAt === undefined) return null;
  return (
    <p class="actions">
      {link(previousAt, '← Previous')}
      {link(nextAt, 'Next →')}
    </p>
  );
}

function ScheduleForm({ template, typed, path }: Within) {
  const count = formatPassCount(template.passCount);
  return (
    <form class="panel stack" method="post" action={path} aria-labelledby="schedule">
      <h2 id="schedule">Schedule push</h2>
      <TextArea
        name="text"
        label="Text"
        rows={2}
        hint="Phones show at least 85 characters. Supports placeholders."
        value={typed?.text}
        required
      />
      <TextField
        name="date"
        label="Date and time"
        type="datetime-local"
        hint={`Time zone: ${useViewer().account.timezone}. A push with a past date is sent within a minute.`}
        value={typed?.date}
        required
      />
      <p class="quiet">
        {template.passCount === 0
          ? 'The template has no passes yet. The push goes to the passes that are on a device at that time.'
          : `The push goes to the passes that are on a device at that time. The template has ${count} now.`}
      </p>
      <SubmitButton title="Schedule push" />
    </form>
  );
}

function EntryTable({ calendar, path, mayEdit }: Within & { mayEdit: boolean }) {
  return (
    <Table
      rows={calendar.entries}
      columns={[
        ['Time', (entry) => <Time at={entry.publicationAt} />],
        ['Notification', (entry) => entry.text ?? `Publication of ${versionOf(entry)}`],
        ['State', (entry) => <Badge tone={entry.state === 'executed' ? 'good' : 'calm'}>{stateOf(entry)}</Badge>],
      ]}
      actions={(entry) =>
        mayEdit &&
        entry.state === 'scheduled' && (
          <a
            class="button small quiet"
            href={`${path}/${entry.id}/delete`}
            aria-label={`Delete: ${entry.text ?? `publication of ${versionOf(entry)}`}`}
          >
            Delete
          </a>
        )
      }
    />
  );
}

const versionOf = ({ version }: Notification): string => `version ${versionNumber(version ?? 0)}`;

function stateOf({ state, version }: Notification): string {
  if (state === 'scheduled') return 'Scheduled';
  return version === null ? 'Sent' : 'Published';
}

export function DeleteNotificationPage({ template, notification }: { template: Template; notification: Notification }) {
  const path = hrefTo(SECTION, template.id, 'notifications');
  const what = notification.text === null ? `The publication of ${versionOf(notification)}` : 'The push';
  return (
    <TemplateLayout template={template} title="Cancel this notification?">
      <Confirm action={`${path}/${notification.id}/delete`} button="Cancel notification" back={path}>
        <p>
          {what} of <Time at={notification.publicationAt} /> is canceled for all passes of the template.
        </p>
        {notification.text !== null && <blockquote>{notification.text}</blockquote>}
        <p>You can’t cancel a notification that has started.</p>
      </Confirm>
    </TemplateLayout>
  );
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

interface MonthTableProps {
  month: Month;
  entries: Notification[];
  /** UTC milliseconds. */
  now: number;
}

/** A month as a table of weeks, with the entries of each day. */
function MonthTable({ month, entries, now }: MonthTableProps) {
  const { timezone } = useViewer().account;
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
                {day !== null && <Day day={day} entries={byDay.get(day) ?? []} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, entries }: { day: number; entries: Notification[] }) {
  const { timezone } = useViewer().account;
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
