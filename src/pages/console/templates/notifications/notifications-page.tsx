import type { Issue } from '../../../../domain/errors.ts';
import type { NotificationCalendar } from '../../../../domain/notifications/list-month.ts';
import type { Notification } from '../../../../domain/notifications/table.ts';
import type { Template } from '../../../../domain/templates/table.ts';
import { hasPrivilege } from '../../../../domain/users/privileges.ts';
import type { Frame } from '../../console-layout.tsx';
import { FaultyFields, TextArea, TextField } from '../../fields.tsx';
import { ListTable } from '../../list-table.tsx';
import { Badge, Confirm, EmptyState, Pager, Panel, Problems } from '../../parts.tsx';
import { Time } from '../../time.tsx';
import { TemplateLayout, templatePath } from '../template-layout.tsx';
import { type Month, monthName } from './month.ts';
import { MonthTable } from './month-table.tsx';

export interface NotificationsPageProps {
  frame: Frame;
  template: Template;
  month: Month;
  calendar: NotificationCalendar;
  /** UTC milliseconds. */
  now: number;
  /** Place behind which the next page of the list begins. */
  next?: string;
  isFirst: boolean;
  typed?: { text: string; date: string };
  messages?: Issue[];
}

/** What was and will be pushed to all passes of a template, by month. */
export function NotificationsPage(props: NotificationsPageProps) {
  const { frame, template, month, calendar, next, isFirst } = props;
  const path = templatePath(frame.account.id, template.id, 'notifications');
  const mayEdit = hasPrivilege(frame.privileges, 'templates.edit');
  const list = `${path}?month=${month.name}`;
  return (
    <TemplateLayout frame={frame} template={template} current="notifications">
      <Problems messages={props.messages ?? []} />
      <div class="calendar-page">
        <Panel id="month" title={month.title} aside={<MonthLinks {...props} path={path} />}>
          <MonthTable month={month} entries={calendar.entries} timezone={frame.account.timezone} now={props.now} />
        </Panel>
        {mayEdit && (
          <FaultyFields messages={props.messages ?? []}>
            <ScheduleForm {...props} path={path} />
          </FaultyFields>
        )}
      </div>
      {calendar.entries.length === 0 ? (
        <EmptyState title={`No notifications in ${month.title}`} action={<Nearest {...props} path={path} />}>
          {mayEdit
            ? 'Schedule a push above, or schedule the publication of a new version.'
            : 'No pushes in this month.'}
        </EmptyState>
      ) : (
        <Panel id="entries" title="In this month">
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

/** The way to the months that have something. */
function Nearest({ frame, calendar: { previousAt, nextAt }, path }: Within) {
  const link = (at: number | undefined, title: string) =>
    at !== undefined && <a href={`${path}?month=${monthName(at, frame.account.timezone)}`}>{title}</a>;
  if (previousAt === undefined && nextAt === undefined) return null;
  return (
    <p class="actions">
      {link(previousAt, '← Previous')}
      {link(nextAt, 'Next →')}
    </p>
  );
}

function ScheduleForm({ frame, template, typed, path }: Within) {
  const count = template.passCount.toLocaleString('en');
  return (
    <form class="panel stack" method="post" action={path} aria-labelledby="schedule">
      <h2 id="schedule">Schedule push</h2>
      <TextArea
        name="text"
        label="Text"
        rows={2}
        hint="Phones show at least one line of 85 characters. Supports placeholders."
        value={typed?.text}
        required
      />
      <TextField
        name="date"
        label="Date and time"
        type="datetime-local"
        hint={`In ${frame.account.timezone}; a past date is sent within a minute.`}
        value={typed?.date}
        required
      />
      <p class="quiet">
        {template.passCount === 0
          ? 'The template has no passes yet. The push goes to passes on a device at that time.'
          : `The push goes to the template’s passes (${count} now) on a device at that time.`}
      </p>
      <button class="button" type="submit">
        Schedule
      </button>
    </form>
  );
}

function EntryTable({ frame, calendar, path, mayEdit }: Within & { mayEdit: boolean }) {
  return (
    <ListTable columns={['When', 'What', 'State']} hasActions>
      {calendar.entries.map((entry) => (
        <tr>
          <th scope="row">
            <Time at={entry.publicationAt} timezone={frame.account.timezone} />
          </th>
          <td data-label="What">{entry.text ?? `Publication of version ${entry.version}`}</td>
          <td data-label="State">
            <Badge tone={entry.state === 'executed' ? 'good' : 'calm'}>{stateOf(entry)}</Badge>
          </td>
          <td class="row-actions">
            {mayEdit && entry.state === 'scheduled' && (
              <a
                class="button small quiet"
                href={`${path}/${entry.id}/delete`}
                aria-label={`Delete: ${entry.text ?? `publication of version ${entry.version}`}`}
              >
                Delete
              </a>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function stateOf({ state, version }: Notification): string {
  if (state === 'scheduled') return 'Scheduled';
  return version === null ? 'Sent' : 'Published';
}

export function DeleteNotificationPage(props: { frame: Frame; template: Template; notification: Notification }) {
  const { frame, template, notification } = props;
  const path = templatePath(frame.account.id, template.id, 'notifications');
  const what = notification.text === null ? `The publication of version ${notification.version}` : 'The push';
  return (
    <TemplateLayout frame={frame} template={template} title="Cancel this notification?">
      <Confirm action={`${path}/${notification.id}/delete`} button="Cancel notification" back={path}>
        <p>
          {what} of <Time at={notification.publicationAt} timezone={frame.account.timezone} /> is canceled for all
          passes of the template.
        </p>
        {notification.text !== null && <blockquote>{notification.text}</blockquote>}
        <p>You can’t cancel a notification that has started.</p>
      </Confirm>
    </TemplateLayout>
  );
}
