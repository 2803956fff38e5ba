import { Hono } from 'hono';
import * as z from 'zod';
import {
  createNotification,
  deleteNotification,
  listNotifications,
  NewNotification,
  NOTIFICATIONS_LISTED_MAX,
} from '../../domain/notifications/manage-notifications.ts';
import { NOTIFICATION_RETENTION_DAYS } from '../../domain/notifications/purge-notifications.ts';
import type { Notification } from '../../domain/notifications/table.ts';
import { formatMinute } from '../../platform/dates.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { operationsWith, validate } from '../operation.ts';
import { text } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Notifications' });

const NotificationView = z.object({
  notificationId: z.uuid(),
  publicationDate: text('2027-03-01 06:00'),
  notificationText: text('The train leaves from platform 4').optional(),
});
type NotificationView = z.infer<typeof NotificationView>;

const NotificationListView = z.union([
  z.object({
    scheduledTasks: z.array(NotificationView).optional(),
    executedTasks: z.array(NotificationView).optional(),
  }),
  z.array(z.never()).max(0),
]);

function notificationView({ id, publicationAt, text }: Notification, timezone: string): NotificationView {
  return {
    notificationId: id,
    publicationDate: formatMinute(publicationAt, timezone),
    ...(text === null ? {} : { notificationText: text }),
  };
}

/** Notification routes of a template, mounted next to its other routes. */
export const passTemplateNotificationRoutes = new Hono<ApiEnv>()
  .post(
    '/:template/notification',
    operation({
      id: 'createNotification',
      summary: 'Schedule a push to all passes of a template',
      description:
        'Devices show at least one line of 85 characters. A past date is sent within a minute. A template can have ' +
        `at most ${NOTIFICATIONS_LISTED_MAX} scheduled notifications.`,
      scope: 'messages:send',
      example: { pushNotificationText: 'The gates open at 18:30', publicationDate: '2027-05-14 18:00' },
      replies: { 201: { description: 'Scheduled', schema: z.object({ notificationId: z.uuid() }) } },
    }),
    validate('json', NewNotification),
    async (c) => {
      const notificationId = await createNotification(c.var.ctx, c.req.param('template'), c.req.valid('json'));
      return c.json({ notificationId }, 201);
    },
  )
  .get(
    '/:template/notification',
    operation({
      id: 'listNotifications',
      summary: 'List past and due notifications of a template',
      description:
        `Ordered by publication, at most ${NOTIFICATIONS_LISTED_MAX} of each kind. Dates are in the account’s ` +
        'time zone. An entry without text is the publication of a new version. ' +
        `Executed notifications are deleted after ${NOTIFICATION_RETENTION_DAYS} days.`,
      scope: 'templates:read',
      replies: { 200: { description: 'Scheduled and executed notifications', schema: NotificationListView } },
    }),
    async (c) => {
      const { ctx } = c.var;
      const lists = await listNotifications(ctx, c.req.param('template'));
      const view = (row: Notification) => notificationView(row, ctx.account.timezone);
      const tasks = {
        ...(lists.scheduled.length > 0 ? { scheduledTasks: lists.scheduled.map(view) } : {}),
        ...(lists.executed.length > 0 ? { executedTasks: lists.executed.map(view) } : {}),
      };
      return Object.keys(tasks).length > 0 ? c.json(tasks) : c.json([]);
    },
  )
  .delete(
    '/notification/:notification',
    operation({
      id: 'deleteNotification',
      summary: 'Delete a scheduled notification',
      description: 'Returns 400 for an executed notification, and 401 for a template that the account cannot access.',
      scope: 'messages:send',
      replies: { 200: { description: 'Deleted', schema: z.array(z.never()).max(0) } },
    }),
    async (c) => {
      await deleteNotification(c.var.ctx, lowerUuid(c.req.param('notification')));
      return c.json([]);
    },
  );
