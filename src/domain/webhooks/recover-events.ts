import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { slicesOf } from '../../platform/chunks.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { appScans } from '../app-scans/table.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { invalidField } from '../errors.ts';
import { expandBody, type StoredEvent } from '../events/compact-body.ts';
import { eventsBetween } from '../events/earlier-events.ts';
import { setBodies } from '../events/set-bodies.ts';
import { events } from '../events/table.ts';
import type { JobOf } from '../jobs.ts';
import { messages } from '../messages/table.ts';
import { DEFINED_PASS, toDefinedPass } from '../passes/find-pass.ts';
import { linkWithoutToken } from '../passes/pass-event.ts';
import { searchString } from '../passes/search-index/search-string.ts';
import { passes } from '../passes/table.ts';
import { namedProperties } from '../passes/values/property-values.ts';
import { templates } from '../templates/table.ts';
import { isSubscribedTo } from './fan-out.ts';
import { getPushSubscription, isOwnSubscription, requireActive, webhookTarget } from './manage-subscription.ts';
import { deliveryJob, earlierDeliveries, type Subscription, webhookDeliveries, webhookSubscriptions } from './table.ts';

/** Events per page, and pages per job. */
const PAGE_EVENTS = 500;
const PAGES_MAX = 20;

/** A period of the past, in UTC milliseconds, both ends included. */
interface Period {
  sinceAt: number;
  untilAt: number;
}

/**
 * Schedules delivery of a period's events that a push subscription missed: failed, or from while it was paused or
 * didn't exist. The period is stored and recovered in the background; a second one extends it. Throws not found,
 * `invalid` for a period, `conflict` if not active.
 */
export async function recoverEvents(ctx: AccountContext, id: string, { sinceAt, untilAt }: Period): Promise<void> {
  if (untilAt < sinceAt) throw invalidField('until', 'must not be before since');
  requireActive(await getPushSubscription(ctx, id));
  const { recoverAfterId, recoverUntilId } = webhookSubscriptions;
  const [after, until] = [firstUuidAt(sinceAt), firstUuidAt(untilAt + 1)];
  const update = ctx.db
    .update(webhookSubscriptions)
    .set({
      recoverAfterId: sql`min(coalesce(${recoverAfterId}, ${after}), ${after})`,
      recoverUntilId: sql`case when ${recoverAfterId} is null then ${until} else max(${recoverUntilId}, ${until}) end`,
    })
    .where(isOwnSubscription(ctx, id));
  const changes = [
    { field: 'since', new: new Date(sinceAt).toISOString() },
    { field: 'until', new: new Date(untilAt).toISOString() },
  ];
  const entry = { action: 'webhook.recover', target: webhookTarget(ctx, id), changes } as const;
  await enterOnce(ctx, `recover webhook ${id}`, async (entryId) => {
    const statements = [update, recordAction(ctx, { ...entry, id: entryId })] as const;
    await commit(ctx, statements, [{ type: 'recover-webhooks', accountId: ctx.account.id, subscriptionId: id }]);
  });
}

/**
 * Job: recovers events page by page. Each page and the new position are one batch, so a second run continues from the
 * current position.
 */
export async function continueRecovery(
  ctx: Context,
  { accountId, subscriptionId }: Omit<JobOf<'recover-webhooks'>, 'type'>,
): Promise<void> {
  // It would repeat deliveries of the earlier release; the next minute tries again (`moveDeliveries`).
  if (await hasEarlierDeliveries(ctx, { id: subscriptionId, accountId })) return;
  for (let page = 0; page < PAGES_MAX; page++) {
    const hasMore = await recoverPage(ctx, { id: subscriptionId, accountId });
    if (!hasMore) return;
  }
  await enqueue(ctx, [{ type: 'recover-webhooks', accountId, subscriptionId }]);
}

async function hasEarlierDeliveries(ctx: Context, named: Pick<Subscription, 'id' | 'accountId'>): Promise<boolean> {
  const { id, accountId } = webhookSubscriptions;
  const rows = await ctx.db
    .select({ id })
    .from(webhookSubscriptions)
    .innerJoin(earlierDeliveries, eq(earlierDeliveries.subscriptionId, id))
    .where(and(eq(id, named.id), eq(accountId, named.accountId)))
    .limit(1);
  return rows.length > 0;
}

/** Recovers one page. Returns whether there are more. */
async function recoverPage(ctx: Context, named: Pick<Subscription, 'id' | 'accountId'>): Promise<boolean> {
  const now = Date.now();
  const { id, recoverAfterId, recoverUntilId, targetUrl } = webhookSubscriptions;
  const isTarget = and(eq(id, named.id), eq(webhookSubscriptions.accountId, named.accountId));
  const ofRow = (column: SQLiteColumn) => sql`(select ${column} from ${webhookSubscriptions} where ${isTarget})`;
  const page = sql`select ${events.id}, ${events.accountId}, ${events.type}, ${events.templateId}, ${events.subscriptionId}
    from ${eventsBetween(named.accountId, [ofRow(recoverAfterId), ofRow(recoverUntilId)], PAGE_EVENTS)}`;
  const filled = await fillBodies(ctx, named.accountId, await emptyEvents(ctx, named, page));
  const last = sql`(select case when count(*) = ${PAGE_EVENTS} then max(id) end from (${page}))`;
  const statements = [
    rawStatement<{ event: string }>(
      ctx.db,
      sql`insert into ${webhookDeliveries} (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
        select ${id}, event.id, 'waiting', ${now}, 0, '[]', ${now} from (${page}) as event
        join ${webhookSubscriptions} on ${isSubscribedTo(sql`event`)} where ${isTarget} and ${targetUrl} is not null
        on conflict (subscription_id, event_id) do update set state = 'waiting', next_attempt_at = ${now}, attempt_count = 0
        where ${webhookDeliveries.state} = 'failed' returning event_id as event`,
    ),
    // The next page starts with the last row of this one, which it then skips.
    ctx.db
      .update(webhookSubscriptions)
      .set({ recoverAfterId: last })
      .where(and(isTarget, isNotNull(recoverAfterId))),
    ctx.db.select({ after: recoverAfterId }).from(webhookSubscriptions).where(isTarget),
  ] as const;
  const all = [...statements, ...filled] as const;
  const [, , [state]] = await commit(ctx, all, ([made]) => (made.length > 0 ? [deliveryJob(named)] : []));
  return state !== undefined && state.after !== null;
}

/** Selects the events of a page that match the subscription and whose bodies have no values. */
function emptyEvents(ctx: Context, named: Pick<Subscription, 'id' | 'accountId'>, page: SQL): Promise<EmptyEvent[]> {
  return rawStatement<EmptyEvent>(
    ctx.db,
    sql`select stored.id, stored.type, stored.pass_id as "passId", stored.template_id as "templateId", stored.body from (${page}) as event
      join ${webhookSubscriptions} on ${isSubscribedTo(sql`event`)} and ${webhookSubscriptions.id} = ${named.id}
      cross join ${events} as stored on stored.account_id = ${named.accountId} and stored.id = event.id
      where stored.has_values is null and ${webhookSubscriptions.accountId} = ${named.accountId}`,
  );
}

/** Cron task: resumes recoveries whose job was lost. */
export async function resumeRecoveries(ctx: Context): Promise<void> {
  const rows = await ctx.db
    .select({ accountId: webhookSubscriptions.accountId, subscriptionId: webhookSubscriptions.id })
    .from(webhookSubscriptions)
    .where(isNotNull(webhookSubscriptions.recoverAfterId))
    .limit(100);
  await enqueue(
    ctx,
    rows.map((row) => ({ type: 'recover-webhooks', ...row })),
  );
}

/** An event whose body has no values, because it had no subscriber when it happened. */
type EmptyEvent = StoredEvent & { id: string };

type Members = Record<string, unknown>;

/** Passes per query: each comes with the definition that it shows. */
const PASSES_AT_ONCE = 50;

/**
 * Builds the statements that fill the bodies of an account's events with the current values of passes, scans and
 * messages, for the batch that creates their deliveries. Events of deleted passes stay empty.
 */
async function fillBodies(ctx: Context, accountId: string, list: EmptyEvent[]) {
  const bodies = list.map((event) => ({ ...event, body: expandBody(event, linkWithoutToken(ctx)) }));
  const named = (member: string) =>
    new Set(bodies.flatMap(({ body }) => (typeof body[member] === 'string' ? body[member] : [])));
  const ofPass = await passMembers(ctx, accountId, new Set(bodies.flatMap(({ passId }) => passId ?? [])));
  const ofScan = await scanMembers(ctx, accountId, named('appScanId'));
  const ofMessage = await messageMembers(ctx, accountId, named('messageId'));
  const rows = bodies.map(({ id, passId, body }) => {
    const known = {
      ...ofPass.get(passId ?? ''),
      ...ofScan.get(String(body.appScanId)),
      ...ofMessage.get(String(body.messageId)),
    };
    const own = Object.entries(known).filter(([name]) => Object.hasOwn(body, name));
    const withValues = JSON.stringify({ ...body, ...Object.fromEntries(own) });
    return { id, withValues, withoutValues: JSON.stringify(body) };
  });
  return setBodies(ctx, accountId, rows);
}

async function passMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  const found = new Map<string, Members>();
  for (const some of slicesOf([...ids], PASSES_AT_ONCE)) {
    const rows = await ctx.db
      .select(DEFINED_PASS)
      .from(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(and(isNamed(passes.id, some), eq(passes.accountId, accountId)));
    for (const { pass, definition } of rows.map(toDefinedPass)) {
      const properties = namedProperties(definition, pass.properties);
      found.set(pass.id, {
        userProvidedId: pass.userProvidedId,
        genericProperties: properties,
        passUserProvidedId: pass.userProvidedId,
        passSearchString: searchString(pass),
        additionalPropertiesPass: properties,
      });
    }
  }
  return found;
}

async function scanMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  if (ids.size === 0) return new Map();
  const { id, scannedBarcodeValue, additionalProperties } = appScans;
  const rows = await ctx.db
    .select({ id, scannedBarcodeValue, additionalPropertiesScan: additionalProperties })
    .from(appScans)
    .where(and(isNamed(id, [...ids]), eq(appScans.accountId, accountId)));
  return new Map(rows.map(({ id: scanId, ...members }) => [scanId, members]));
}

async function messageMembers(ctx: Context, accountId: string, ids: Set<string>): Promise<Map<string, Members>> {
  if (ids.size === 0) return new Map();
  const { id, recipient, subject, statusDetails } = messages;
  const rows = await ctx.db
    .select({ id, recipient, subject, statusDetails })
    .from(messages)
    .where(and(isNamed(id, [...ids]), eq(messages.accountId, accountId)));
  return new Map(rows.map(({ id: messageId, ...members }) => [messageId, members]));
}

function isNamed(column: typeof passes.id | typeof appScans.id | typeof messages.id, ids: string[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
}
