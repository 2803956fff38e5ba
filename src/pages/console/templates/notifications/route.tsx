import { Hono } from 'hono';
import {
  type CalendarPlace,
  calendarQueries,
  getNotification,
  toCalendar,
} from '../../../../domain/notifications/list-month.ts';
import { createNotification, deleteNotification } from '../../../../domain/notifications/manage-notifications.ts';
import { getTemplate, newestDefinitionQuery, toDefinedTemplate } from '../../../../domain/templates/get-template.ts';
import { parseDateTime } from '../../../../platform/dates.ts';
import { UUID_PATTERN } from '../../../../platform/ids.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { page, pathTo, renamed, submitted, textOf } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { monthName, monthOf } from './month.ts';
import { DeleteNotificationPage, NotificationsPage, type NotificationsPageProps } from './notifications-page.tsx';

/** Entries of a month per page of the list. */
const ENTRIES_PER_PAGE = 100;

/** Routes for a template's calendar: pushes to all of its passes, and publications. */
export const notificationRoutes = new Hono<AccountEnv>();

notificationRoutes.get('/:template/notifications', async (c) => page(c, await calendarPage(c)));

notificationRoutes.post('/:template/notifications', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const id = c.req.param('template');
  const form = await c.req.parseBody();
  const typed = { text: textOf(form, 'text'), date: textOf(form, 'date') };
  const again = () => calendarPage(c, typed);
  const work = async () => {
    const publicationDate = typed.date.replace('T', ' ');
    const input = { pushNotificationText: typed.text, publicationDate };
    await createNotification(acting, id, input);
    const at = parseDateTime(publicationDate, acting.account.timezone)!;
    const path = pathTo(c, 'templates', id, 'notifications');
    return `${path}?month=${monthName(at, acting.account.timezone)}`;
  };
  return submitted(c, again, work, renamed({ pushNotificationText: 'text', publicationDate: 'date' }));
});

notificationRoutes.get('/:template/notifications/:id/delete', requirePrivilege('templates.edit'), async (c) => {
  const { template: templateId, id } = c.req.param();
  const [{ template }, notification] = await Promise.all([
    getTemplate(c.var.acting, templateId),
    getNotification(c.var.acting, templateId, id),
  ]);
  return page(c, <DeleteNotificationPage template={template} notification={notification} />);
});

notificationRoutes.post('/:template/notifications/:id/delete', requirePrivilege('templates.edit'), async (c) => {
  const { template: templateId, id } = c.req.param();
  await getNotification(c.var.acting, templateId, id);
  const again = () => calendarPage(c);
  return submitted(c, again, async () => {
    await deleteNotification(c.var.acting, id);
    return pathTo(c, 'templates', templateId, 'notifications');
  });
});

async function calendarPage(c: AccountPageContext, typed?: NotificationsPageProps['typed']) {
  const { acting } = c.var;
  const { timezone } = acting.account;
  const id = c.req.param('template')!;
  const now = Date.now();
  const month = monthOf(c.req.query('month'), now, timezone);
  const after = placeOf(c.req.query('after'));
  const limit = ENTRIES_PER_PAGE + 1;
  const [templateRows, ...rows] = await acting.db.batch([
    newestDefinitionQuery(acting, id),
    ...calendarQueries(acting, id, { span: month.span, after, limit }),
  ]);
  const { template } = toDefinedTemplate(templateRows[0]);
  const calendar = toCalendar(rows, limit);
  const entries = calendar.entries.slice(0, ENTRIES_PER_PAGE);
  const last = calendar.entries.length > ENTRIES_PER_PAGE ? entries.at(-1)! : undefined;
  const shown = { template, month, calendar: { ...calendar, entries }, now };
  const next = last && `${last.publicationAt}.${last.id}`;
  return <NotificationsPage {...shown} next={next} isFirst={after === undefined} typed={typed} />;
}

/** `<UTC milliseconds>.<identifier>` */
function placeOf(text: string | undefined): CalendarPlace | undefined {
  const [, at, id] = /^(\d{1,15})\.(.+)$/.exec(text ?? '') ?? [];
  return at && id && UUID_PATTERN.test(id) ? { publicationAt: Number(at), id } : undefined;
}
