import { and, eq, sql } from 'drizzle-orm';
import * as z from 'zod';
import { parseDateTime } from '../../platform/dates.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid, invalidField } from '../errors.ts';
import { DateTimeText, NO_SUCH_DATE, PushText } from '../fields.ts';
import { getTemplateId, isTemplateNamed, templateIdNamed, templateTarget } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { newId, writeOnce } from '../write-once.ts';
import { insertNotification } from './insert-notification.ts';
import { NOTIFICATIONS_LISTED_MAX } from './list-notifications.ts';
import { notifications } from './table.ts';

/** A push to all passes of a template. Devices always show one line of up to 85 characters, and may crop more. */
export const NewNotification = z.object({
  pushNotificationText: PushText,
  /** In the account's time zone. The next run of the cron publishes one in the past. */
  publicationDate: DateTimeText,
});
export type NewNotification = z.infer<typeof NewNotification>;

/**
 * Schedules a push and returns its identifier. One round trip. Throws `invalid` naming the field or for too many of a
 * template, and not found for an unknown template.
 */
export async function createNotification(
  ctx: AccountContext,
  templateName: string,
  input: NewNotification,
): Promise<string> {
  const { pushNotificationText, publicationDate } = checked(NewNotification, input);
  const publicationAt = parseDateTime(publicationDate, ctx.account.timezone);
  if (publicationAt === undefined) throw invalidField('publicationDate', `${NO_SUCH_DATE}`);
  const id = newId(ctx, 'notification');
  const content = {
    id,
    templateId: templateIdNamed(ctx, templateName),
    publicationAt,
    text: pushNotificationText,
    version: null,
  };
  const isNamed = isTemplateNamed(ctx, templateName);
  const isScheduled = and(
    eq(notifications.templateId, templates.id),
    eq(notifications.accountId, ctx.account.id),
    eq(notifications.state, 'scheduled'),
  );
  const hasRoom = sql`(select count(*) < ${NOTIFICATIONS_LISTED_MAX} from ${notifications} where ${isScheduled})`;
  const canSchedule = sql`exists (select 1 from ${templates} where ${isNamed} and ${hasRoom})`;
  const changes = [{ field: 'publicationDate', new: publicationDate }];
  const isTarget = and(eq(notifications.id, id), eq(notifications.accountId, ctx.account.id));
  const find = async () => (await ctx.db.select({ id: notifications.id }).from(notifications).where(isTarget))[0]?.id;
  return writeOnce(ctx, find, async () => {
    const [[created]] = await ctx.db.batch([
      insertNotification(ctx, content, canSchedule).returning({ id: notifications.id }),
      recordAction(ctx, { action: 'notification.create', target: templateTarget(ctx, templateName), changes }),
    ]);
    if (created) return created.id;
    await getTemplateId(ctx, templateName);
    throw invalid(`A template can have at most ${NOTIFICATIONS_LISTED_MAX} scheduled notifications; delete some first`);
  });
}
