import { and, eq, type SQL, sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../platform/chunks.ts';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { uuidBytes } from '../../platform/uuid-bytes.ts';
import { withFollowUps } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import type { EventBody, EventType } from './catalog.ts';
import { compactBody } from './compact-body.ts';
import { events } from './table.ts';

/** Body of an event without the members in `Computed`. */
type KnownBody<T extends EventType, Computed extends PropertyKey> = T extends EventType
  ? Omit<EventBody<T>, Computed>
  : never;

export interface NewEvent<T extends EventType = EventType, Computed extends keyof EventBody<T> = never> {
  /** Result of `newEventId`; absent: a new identifier. */
  id?: string;
  type: T;
  templateId?: string;
  passId?: string;
  /** The body as delivered. */
  body: KnownBody<T, Computed>;
  /** Members of the body whose values are known only when the batch runs, by name. */
  computed?: Record<Computed, SQL>;
  /** Records the event only if this condition holds when the batch runs. */
  condition?: SQL;
  /** Table in which `condition` selects the row that `computed` reads. */
  from?: SQL;
  /** Delivers only to this subscription of the account: its test event. */
  subscriptionId?: string;
}

/** Returns an identifier for an event whose batch has statements that depend on it (`isRecorded`). */
export function newEventId(ctx: AccountContext): string {
  return uuidv7(shardOf(ctx.account.id));
}

/** Builds the condition that the event is recorded, for later statements of its batch. */
export function isRecorded(ctx: AccountContext, eventId: string): SQL {
  return sql`exists (select 1 from ${events} where ${and(eq(events.id, eventId), eq(events.accountId, ctx.account.id))})`;
}

/** Returns the identifier of an event of the account; undefined if it isn't recorded. */
export async function findEvent(ctx: AccountContext, eventId: string): Promise<string | undefined> {
  const isEvent = and(eq(events.id, eventId), eq(events.accountId, ctx.account.id));
  const [event] = await ctx.db.select({ id: events.id }).from(events).where(isEvent);
  return event?.id;
}

/**
 * Builds the statement that records an event, for the batch of the change that causes it. `commit` then schedules its
 * delivery if there is a subscription.
 */
export function recordEvent<T extends EventType, Computed extends keyof EventBody<T> = never>(
  ctx: AccountContext,
  event: NewEvent<T, Computed>,
) {
  const id = event.id ?? newEventId(ctx);
  const [type, templateId, passId] = [
    sql`${event.type}`,
    sql`${event.templateId ?? null}`,
    sql`${event.passId ?? null}`,
  ];
  const asked = event.subscriptionId ? sql`1` : hasSubscription(ctx, type, templateId);
  return insertEvents(
    ctx,
    { id: sql`${id}`, type, templateId, passId, body: bodyOf(event), subscriptionId: event.subscriptionId },
    event.type,
    asked,
    sql`${event.from ? sql`from ${event.from}` : sql``} ${event.condition ? sql`where ${event.condition}` : sql``}`,
  );
}

interface Columns {
  id: SQL;
  type: SQL;
  templateId: SQL;
  passId: SQL;
  body: SQL;
  subscriptionId?: string;
}

/**
 * Stores the events that `rest`, the end of a select, finds, and requests their fan-out. `asked` is SQL from
 * `hasSubscription`: only events with a subscription keep values of the pass. All events have the members of `type`.
 * Without subscriptions, the account doesn't pay for the result.
 */
function insertEvents(ctx: AccountContext, event: Columns, type: EventType, asked: SQL, rest: SQL) {
  const returning = ctx.account.hasWebhooks ? sql`returning pending` : sql``;
  const last = sql`(select max(waiting.pending) from ${events} as waiting where waiting.pending is not null)`;
  const body = sql.raw('fresh.body');
  // Limit and condition keep SQLite from computing a column of `fresh` each time it is referenced.
  const statement = rawStatement<{ pending: number | null }>(
    ctx.db,
    sql`insert into ${events} (id, account_id, type, template, pass, body, created_at, pending, has_values, subscription_id)
      select fresh.id, ${ctx.account.id}, fresh.type, ${uuidBytes(sql.raw('fresh.template_id'))}, ${uuidBytes(sql.raw('fresh.pass_id'))}, iif(fresh.asked is null, ${compactBody(type, body)}, ${body}),
        ${Date.now()}, iif(fresh.asked = 1, coalesce(${last}, 0) + 1, null), iif(fresh.asked is null, null, 1), ${event.subscriptionId ?? null}
      from (select ${event.id} as id, ${event.type} as type, ${event.templateId} as template_id, ${event.passId} as pass_id,
        ${event.body} as body, ${asked} as asked ${rest} limit -1) as fresh where fresh.id is not null ${returning}`,
  );
  const fanOut = { type: 'fan-out-events', accountId: ctx.account.id } as const;
  return withFollowUps(
    statement,
    (recorded) => (recorded.some(({ pending }) => pending !== null) ? [fanOut] : []),
    ctx.account.hasWebhooks ? [fanOut] : [],
  );
}

/**
 * Builds SQL for 1 if an active subscription exists for such an event, 0 if only inactive ones do (which may recover
 * it), and null if none does. The table is named as text, because webhooks import events and not vice versa.
 */
function hasSubscription(ctx: AccountContext, type: SQL, templateId: SQL): SQL {
  return sql`(select max(asking.status = 'active') from webhook_subscriptions as asking where asking.account_id = ${ctx.account.id}
    and asking.event = ${type} and (asking.template_id is null or asking.template_id = ${templateId}))`;
}

function bodyOf({ body, computed = {} }: { body: unknown; computed?: Record<string, SQL> }): SQL {
  const members = Object.entries(computed).map(([name, value]) => sql`, ${`$.${name}`}, ${value}`);
  const json = sql`${JSON.stringify(body)}`;
  return members.length > 0 ? sql`json_set(${json}${sql.join(members)})` : json;
}

/**
 * Builds the statements that record an event for each of many passes: one, unless the bodies are long. `condition` gets
 * SQL for a pass's identifier; passes for which it doesn't hold when the batch runs get no event.
 */
export function recordPassEvents<
  T extends 'pass_created' | 'pass_updated' | 'pass_voided' | 'pass_unvoided' | 'pass_deleted',
>(
  ctx: AccountContext,
  list: (Omit<NewEvent<T>, 'condition' | 'computed'> & { passId: string })[],
  condition: (passId: SQL) => SQL,
) {
  const now = Date.now();
  const rows = list.map(({ type, templateId, passId, body }) =>
    JSON.stringify([uuidv7(shardOf(ctx.account.id), now), type, templateId ?? null, passId, JSON.stringify(body)]),
  );
  const [id, type, templateId, passId, body] = [0, 1, 2, 3, 4].map((at) => sql.raw(`recorded.value ->> ${at}`));
  const columns = { id: id!, type: type!, templateId: templateId!, passId: passId!, body: body! };
  const asked = hasSubscription(ctx, columns.type, columns.templateId);
  return chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) => {
    const recorded = sql`from json_each(${`[${chunk}]`}) as recorded where ${condition(columns.passId)}`;
    return insertEvents(ctx, columns, 'pass_updated', asked, recorded);
  });
}
