import { sql } from 'drizzle-orm';
import { accounts } from '../../domain/accounts/table.ts';
import { type Context, inDirectory } from '../../domain/context.ts';
import { forEachDatabase } from '../../domain/databases/list-databases.ts';
import { events } from '../../domain/events/table.ts';
import { notifications } from '../../domain/notifications/table.ts';
import { figures } from '../../domain/webhooks/delivery-counts.ts';
import {
  type Attempt,
  type DeliveryState,
  webhookDeliveries,
  webhookSubscriptions,
} from '../../domain/webhooks/table.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { INBOX_PATH } from '../inbox/page/item-view.ts';
import { type InboxKind, inboxItems } from '../inbox/table.ts';

/** The facts that an advance of the clock lists, by type. */
type Facts =
  /** A template's notification or a version was published. */
  | {
      type: 'notification';
      accountId: string;
      id: string;
      templateId: string;
      text: string | null;
      version: number | null;
    }
  /** Something left the service and is in the dev inbox. */
  | { type: 'message'; kind: InboxKind; to: string; subject: string; url: string }
  /** A webhook was called. */
  | {
      type: 'delivery';
      accountId: string;
      webhookId: string;
      eventId: string;
      event: string;
      attempt: number;
      outcome: string;
      state: DeliveryState;
    }
  /** An event was recorded. */
  | { type: 'event'; event: string; accountId: string; id: string; passId: string | null; templateId: string | null }
  /** A pass expired. */
  | { type: 'expired'; accountId: string; passId: string; templateId: string }
  /** A job or a cron task changed rows or failed. */
  | { type: 'job' | 'task'; name: string; subject?: string; database?: string; status: string; rowsWritten: number };

/** Something that happened, with its time in UTC milliseconds. */
export type Happening = { at: number } & Facts;

/** Maximum rows of each kind that are read at a stop. Others are only counted. */
const ROWS_MAX = 500;

type Row = { at: number; total: number };
type NotificationRow = Row & {
  accountId: string;
  id: string;
  templateId: string;
  text: string | null;
  version: number | null;
};
type EventRow = Row & {
  accountId: string;
  id: string;
  event: string;
  passId: string | null;
  templateId: string | null;
};
type DeliveryRow = Row & {
  accountId: string;
  webhookId: string;
  eventId: string;
  event: string;
  state: DeliveryState;
  attemptCount: number;
  attempts: string;
  place: number;
};

/** What happened after `from` and until `to` according to rows, and how many rows were left out. */
export interface RecentRows {
  found: Happening[];
  omitted: number;
}

/** Reads what happened from the notifications, webhooks and events of all databases. */
export async function recentRows(ctx: Context, from: number, to: number): Promise<RecentRows> {
  const total = sql`count(*) over () as total`;
  const within = (at: ReturnType<typeof sql>) =>
    sql`${at} > ${from} and ${at} <= ${to} order by ${at} limit ${ROWS_MAX}`;
  const lists = await forEachDatabase(ctx, async ({ db }) => {
    const [published, recorded, attempted] = await db.batch([
      rawStatement<NotificationRow>(
        db,
        sql`select executed_at as at, account_id as "accountId", id, template_id as "templateId", text, version, ${total}
          from ${notifications} where ${within(sql`executed_at`)}`,
      ),
      rawStatement<EventRow>(
        db,
        sql`select one.created_at as at, one.account_id as "accountId", one.id, one.type as event, one.pass_id as "passId",
            one.template_id as "templateId", ${total}
          from ${accounts} as owner join ${events} as one on one.account_id = owner.id and one.id >= ${firstUuidAt(from)}
          where ${within(sql`one.created_at`)}`,
      ),
      rawStatement<DeliveryRow>(
        db,
        sql`select attempt.value ->> 'at' as at, webhook_subscriptions.account_id as "accountId", webhook_subscriptions.id as "webhookId", webhook_subscriptions.event as event,
            one.event_id as "eventId", one.state as state, one.attempt_count as "attemptCount", one.attempts as attempts,
            attempt.key as place, ${total}
          from ${webhookSubscriptions} join ${webhookDeliveries} as one on one.subscription_id = webhook_subscriptions.id
            join json_each(one.attempts) as attempt
          where ${figures.lastAttemptAt} > ${from} and ${within(sql`attempt.value ->> 'at'`)}`,
      ),
    ]);
    return {
      found: [
        ...published.map(({ total: _, ...row }): Happening => ({ type: 'notification', ...row })),
        ...recorded.map(({ total: _, ...row }): Happening => ({ type: 'event', ...row })),
        ...attempted.map(deliveryOf),
      ],
      omitted: [published, recorded, attempted].reduce((sum, rows) => sum + leftOut(rows), 0),
    };
  });
  return { found: lists.flatMap(({ found }) => found), omitted: lists.reduce((sum, { omitted }) => sum + omitted, 0) };
}

const leftOut = (rows: Row[]): number => (rows[0]?.total ?? 0) - rows.length;

function deliveryOf({ total: _, attempts, attemptCount, place, state, ...row }: DeliveryRow): Happening {
  const list = JSON.parse(attempts) as Attempt[];
  // A row keeps only its last attempts.
  const attempt = attemptCount - (list.length - 1 - place);
  const isLast = place === list.length - 1;
  return { type: 'delivery', ...row, attempt, outcome: list[place]!.outcome, state: isLast ? state : 'waiting' };
}

/** Returns the key of the last item in the dev inbox. */
export async function lastInboxKey(ctx: Context): Promise<number> {
  const [row] = await inDirectory(ctx)
    .db.select({ last: sql<number | null>`max(${inboxItems.key})` })
    .from(inboxItems);
  return row?.last ?? 0;
}

/** Returns what came into the dev inbox after an item, and the key of the last item that was read. */
export async function recentItems(ctx: Context, behind: number): Promise<RecentRows & { last: number }> {
  const { db } = inDirectory(ctx);
  const rows = await rawStatement<Row & { key: number; kind: InboxKind; to: string; subject: string }>(
    db,
    sql`select key, created_at as at, kind, recipient as "to", subject, count(*) over () as total
      from ${inboxItems} where key > ${behind} order by key limit ${ROWS_MAX}`,
  );
  const found = rows.map(
    ({ total: _, key, ...row }): Happening => ({ type: 'message', ...row, url: `${INBOX_PATH}/${key}` }),
  );
  const omitted = leftOut(rows);
  return { found, omitted, last: omitted > 0 ? await lastInboxKey(ctx) : (rows.at(-1)?.key ?? behind) };
}
