import { and, asc, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { parseDateTime } from '../../platform/dates.ts';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import type { ActionName } from '../audit/actions.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalid, invalidField, notFound } from '../errors.ts';
import { DateTimeText, NO_SUCH_DATE, PushText } from '../fields.ts';
import {
  canUse,
  getTemplateId,
  isPermitted,
  isTemplateNamed,
  templateIdNamed,
  templateTarget,
} from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { newId, writeOnce } from '../write-once.ts';
import { IS_SCHEDULED_PUBLICATION, isOfTemplate, type Notification, notifications } from './table.ts';

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
  const isScheduled = isOfTemplate(ctx, sql`${templates.id}`, 'scheduled');
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

type Content = Pick<Notification, 'publicationAt' | 'text' | 'version'> & { templateId: string | SQL; id?: string };

/** Builds the statement that schedules a notification if `condition` holds when it runs. */
export function insertNotification(ctx: AccountContext, { templateId, ...content }: Content, condition: SQL) {
  const now = Date.now();
  const row = {
    id: uuidv7(shardOf(ctx.account.id), now),
    ...content,
    accountId: ctx.account.id,
    templateId: '',
    state: 'scheduled',
    dueAt: content.publicationAt,
    createdAt: now,
  } as const;
  const values = rowValues(notifications, row, { templateId: sql`${templateId}` });
  return ctx.db.insert(notifications).select(sql`select ${values} where ${condition}`);
}

/**
 * Builds the statement that schedules the publication of a version at `publicationAt` (UTC milliseconds), for the
 * publishing batch; the cron runs `publishVersion`. A scheduled publication moves, never to an earlier version, even in
 * a race. Does nothing unless `condition` holds. Returns a row if it schedules.
 */
export function schedulePublication(
  ctx: AccountContext,
  templateId: string,
  version: number,
  publicationAt: number,
  condition: SQL = sql`true`,
) {
  return insertNotification(ctx, { templateId, publicationAt, text: null, version }, condition)
    .onConflictDoUpdate({
      target: notifications.templateId,
      targetWhere: IS_SCHEDULED_PUBLICATION,
      setWhere: eq(notifications.accountId, ctx.account.id),
      set: {
        version: sql`max(${notifications.version}, excluded.version)`,
        publicationAt: sql`excluded.publication_at`,
        dueAt: sql`excluded.due_at`,
      },
    })
    .returning({ id: notifications.id });
}

/** Builds the statement that deletes all notifications of a template, for the batch that deletes the template. */
export function removeNotifications(ctx: AccountContext, templateId: string | SQL) {
  return ctx.db.delete(notifications).where(isOfTemplate(ctx, templateId));
}

/**
 * Builds the statements that add a publication in the same batch to the list of notifications; a scheduled one is
 * brought forward. They do nothing unless `condition` holds.
 */
export function recordPublication(ctx: AccountContext, templateId: string, version: number, condition: SQL) {
  const now = Date.now();
  return [
    schedulePublication(ctx, templateId, version, now, condition),
    ctx.db
      .update(notifications)
      .set({ state: 'executed', executedAt: now, dueAt: null })
      .where(and(isOfTemplate(ctx, templateId, 'scheduled'), isNotNull(notifications.version), condition)),
  ] as const;
}

/**
 * Deletes a notification that is still scheduled; either the delete or the pickup of the cron wins. One round trip.
 * Throws not found for an unknown one, `unauthorized` for that of another account (the contract tells the two apart
 * here), and `invalid` for an executed one.
 */
export async function deleteNotification(ctx: AccountContext, id: string): Promise<void> {
  const isTarget = and(
    eq(notifications.id, id),
    eq(notifications.accountId, ctx.account.id),
    eq(notifications.state, 'scheduled'),
    isPermitted(ctx, notifications.templateId),
  );
  const action = sql<ActionName>`iif(${notifications.version} is null, 'notification.delete', 'template.cancel_publication')`;
  const target = templateTarget(ctx, sql`${notifications.templateId}`);
  await enterOnce(ctx, `delete notification ${id}`, async (entryId) => {
    const [, deleted, [left]] = await ctx.db.batch([
      recordAction(ctx, { id: entryId, action, target, from: notifications }, isTarget),
      ctx.db.delete(notifications).where(isTarget).returning({ id: notifications.id }),
      ctx.db
        .select({ accountId: notifications.accountId, templateId: notifications.templateId })
        .from(notifications)
        .where(eq(notifications.id, id)),
    ]);
    if (deleted.length === 0) throw refusalOf(ctx, left);
  });
}

/** Returns why a notification was not deleted; `left` is its row, if it exists. */
function refusalOf(ctx: AccountContext, left: { accountId: string; templateId: string } | undefined): DomainError {
  if (!left || !canUse(ctx, left.templateId)) return notFound();
  if (left.accountId === ctx.account.id) return invalid('The notification was already executed');
  return new DomainError('unauthorized', 'The notification belongs to a template that this account cannot access');
}

/** Notifications of each state in a list: the next ones, and the latest past ones. */
export const NOTIFICATIONS_LISTED_MAX = 1_000;

/**
 * Lists the pushes and publications of a template in the order of publication, at most NOTIFICATIONS_LISTED_MAX of each
 * state. One round trip. Throws not found.
 */
export async function listNotifications(ctx: AccountContext, templateName: string) {
  const inState = (state: Notification['state'], order: typeof asc) =>
    ctx.db
      .select()
      .from(notifications)
      .where(isOfTemplate(ctx, templateIdNamed(ctx, templateName), state))
      .orderBy(order(notifications.publicationAt), order(notifications.id))
      .limit(NOTIFICATIONS_LISTED_MAX);
  const [scheduled, executed, [template]] = await ctx.db.batch([
    inState('scheduled', asc),
    inState('executed', desc),
    ctx.db.select({ id: templates.id }).from(templates).where(isTemplateNamed(ctx, templateName)),
  ]);
  if (!template) throw notFound();
  return { scheduled, executed: executed.reverse() };
}
