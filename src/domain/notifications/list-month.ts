import { and, asc, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { BatchResponse } from 'drizzle-orm/batch';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { IS_SCHEDULED_PUBLICATION, isOfTemplate, type Notification, notifications } from './table.ts';

/** A part of the calendar in UTC milliseconds; `to` is exclusive. */
export interface CalendarSpan {
  from: number;
  to: number;
}

/** The start of a page of the list: after the notification with this time and identifier. */
export interface CalendarPlace {
  publicationAt: number;
  id: string;
}

/** The notifications of a template in a span of time, and the nearest times outside of it. */
export interface NotificationCalendar {
  /** In the order of publication, at most `limit`. */
  entries: Notification[];
  /** When the next notification after the span is due, and when the last one before it was. */
  nextAt?: number;
  previousAt?: number;
  /** The scheduled publication, if there is one. */
  publication?: Notification;
}

/** Builds the statements for `toCalendar`, for a batch; each reads along one index. */
export function calendarQueries(
  ctx: AccountContext,
  templateId: string,
  { span, after, limit }: { span: CalendarSpan; after?: CalendarPlace; limit: number },
) {
  const at = notifications.publicationAt;
  const within = and(gte(at, span.from), lt(at, span.to), after && behind(after));
  const inState = (state: Notification['state'], condition: SQL | undefined) =>
    and(isOfTemplate(ctx, templateId, state), condition);
  const rows = (state: Notification['state']) =>
    ctx.db
      .select()
      .from(notifications)
      .where(inState(state, within))
      .orderBy(asc(at), asc(notifications.id))
      .limit(limit);
  const nearest = (state: Notification['state'], condition: SQL, order: typeof asc) =>
    ctx.db.select({ at }).from(notifications).where(inState(state, condition)).orderBy(order(at)).limit(1);
  return [
    rows('scheduled'),
    rows('executed'),
    nearest('scheduled', gte(at, span.to), asc),
    nearest('executed', gte(at, span.to), asc),
    nearest('scheduled', lt(at, span.from), desc),
    nearest('executed', lt(at, span.from), desc),
    scheduledPublicationQuery(ctx, templateId),
  ] as const;
}

/** Builds the query for the scheduled publication of a template. */
export function scheduledPublicationQuery(ctx: AccountContext, templateId: string) {
  return ctx.db
    .select()
    .from(notifications)
    .where(and(isOfTemplate(ctx, templateId), IS_SCHEDULED_PUBLICATION));
}

type CalendarRows = BatchResponse<ReturnType<typeof calendarQueries>>;

/** Converts the results of `calendarQueries`. */
export function toCalendar(rows: CalendarRows, limit: number): NotificationCalendar {
  const [scheduled, executed, [nextScheduled], [nextExecuted], [lastScheduled], [lastExecuted], [publication]] = rows;
  const entries = [...scheduled, ...executed]
    .sort((a, b) => a.publicationAt - b.publicationAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
  const times = (...found: ({ at: number } | undefined)[]) => found.flatMap((one) => (one ? [one.at] : []));
  const ahead = times(nextScheduled, nextExecuted);
  const behindIt = times(lastScheduled, lastExecuted);
  return {
    entries,
    nextAt: ahead.length > 0 ? Math.min(...ahead) : undefined,
    previousAt: behindIt.length > 0 ? Math.max(...behindIt) : undefined,
    publication,
  };
}

function behind({ publicationAt, id }: CalendarPlace): SQL | undefined {
  const at = notifications.publicationAt;
  return or(sql`${at} > ${publicationAt}`, and(eq(at, publicationAt), sql`${notifications.id} > ${id}`));
}

/** Returns a notification of one of the account's templates. One round trip. Throws not found. */
export async function getNotification(ctx: AccountContext, templateId: string, id: string): Promise<Notification> {
  const [found] = await ctx.db
    .select()
    .from(notifications)
    .where(and(eq(notifications.id, id), isOfTemplate(ctx, templateId)));
  if (!found) throw notFound();
  return found;
}
