import { and, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as z from 'zod';
import { randomToken } from '../../platform/ids.ts';
import { areLocalTargetsAllowed, checkOutboundUrl } from '../../platform/outbound.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { noteWebhooks } from '../accounts/update-account.ts';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid, invalidField, notFound } from '../errors.ts';
import { EVENT_TYPES, isEventType } from '../events/catalog.ts';
import { IS_PENDING } from '../events/pending-events.ts';
import { events } from '../events/table.ts';
import { AnyText, PassName } from '../fields.ts';
import { getSigningKey } from '../signing-keys/signer.ts';
import { getTemplateId } from '../template-restriction.ts';
import { templateDeletions, templates } from '../templates/table.ts';
import { newId, writeOnce } from '../write-once.ts';
import { addUncounted } from './delivery-counts.ts';
import { isOwnSubscription, subscriptionColumns } from './manage-subscription.ts';
import { newSecret, seal, unseal } from './secrets.ts';
import {
  earlierDeliveries,
  type Subscription,
  webhookDeliveries,
  webhookPayloadCounts,
  webhookSubscriptions,
} from './table.ts';

/** Maximum number of subscriptions of an account; each event is matched against them in one statement. */
export const SUBSCRIPTIONS_MAX = 500;
/** As many random bytes as the secret of an API key. */
const TOKEN_BYTES = 32;

const flag = z.boolean('must be true or false').nullish();

/** The input of a caller. */
export const NewSubscription = z.object({
  target_url: AnyText.nullish(),
  event: AnyText.pipe(
    z.string().refine(isEventType, {
      error: ({ input }) =>
        `an unknown event type was specified: ${String(input).slice(0, 100)}. Use one of ${EVENT_TYPES.join(', ')}`,
    }),
  ),
  subscription_url: PassName.nullish(),
  retryEnabled: flag,
  signPayload: flag,
  pullMode: flag,
});

export interface SubscribeOptions {
  /** Name of the template to which the subscription is limited. */
  templateName?: string;
  generateAccessToken?: boolean;
}

/** A subscription with its secrets, which only this response shows. */
export interface SubscriptionWithSecrets {
  subscription: Subscription;
  secret: string;
  accessToken?: string;
}

type NewRow = typeof webhookSubscriptions.$inferInsert & Pick<Subscription, 'targetUrl' | 'templateId'>;

/**
 * Subscribes to an event. Repeating target, event and template updates that subscription: new options, resumed if
 * paused or ended, same secret. Pull subscriptions are always new. Throws `invalid` with the field and, for an unknown
 * template, not found.
 */
export async function subscribe(
  ctx: AccountContext,
  sent: unknown,
  options: SubscribeOptions = {},
): Promise<SubscriptionWithSecrets> {
  const input = checked(NewSubscription, sent);
  const targetUrl = input.pullMode ? null : checkTarget(ctx, input.target_url);
  const templateId = options.templateName === undefined ? null : await getTemplateId(ctx, options.templateName);
  const id = newId(ctx, 'webhook');
  const secret = newSecret();
  const accessToken = options.generateAccessToken ? randomToken(TOKEN_BYTES) : undefined;
  const signPayload = (input.signPayload ?? false) && targetUrl !== null;
  if (signPayload) await getSigningKey(ctx);
  const row: NewRow = {
    id,
    accountId: ctx.account.id,
    templateId,
    event: input.event,
    targetUrl,
    subscriptionUrl: input.subscription_url ?? null,
    retryEnabled: (input.retryEnabled ?? false) && targetUrl !== null,
    signPayload,
    secretSealed: await seal(ctx.env, id, secret),
    accessTokenSealed: accessToken === undefined ? null : await seal(ctx.env, id, accessToken),
    status: 'active',
    delivered: 0,
    failed: 0,
    createdAt: Date.now(),
  };
  const entry = () => recordAction(ctx, { action: 'webhook.create', target: { type: 'webhook', id, name: row.event } });
  return writeOnce(
    ctx,
    () => findSubscribed(ctx, id),
    async () => {
      const [[inserted]] = await ctx.db.batch([insert(ctx, row), entry(), noteWebhooks(ctx)]);
      if (inserted) return { subscription: inserted, secret, accessToken };
      const own = ctx.repeatable && (await findSubscribed(ctx, id));
      if (own) return own;
      const renewed = await renew(ctx, row, accessToken);
      if (renewed) return renewed;
      const [, , [late]] = await ctx.db.batch([...removeUnused(ctx), insert(ctx, row), entry(), noteWebhooks(ctx)]);
      return late ? { subscription: late, secret, accessToken } : throwRefusal(ctx, row);
    },
  );
}

/** Returns the subscription with this identifier and its secrets; undefined if there is none. */
async function findSubscribed(ctx: AccountContext, id: string): Promise<SubscriptionWithSecrets | undefined> {
  const [subscription] = await ctx.db
    .select(subscriptionColumns)
    .from(webhookSubscriptions)
    .where(isOwnSubscription(ctx, id));
  if (!subscription) return undefined;
  const { secretSealed, accessTokenSealed } = subscription;
  const secret = unseal(ctx.env, id, secretSealed);
  const accessToken = accessTokenSealed === null ? undefined : unseal(ctx.env, id, accessTokenSealed);
  return { subscription, secret, accessToken };
}

/** Returns the target as it was sent, because unsubscribing repeats it. */
function checkTarget(ctx: AccountContext, targetUrl: string | null | undefined): string {
  if (!targetUrl) throw invalidField('target_url', 'is required unless pullMode is true', 'required');
  const problem = checkOutboundUrl(targetUrl, { allowLocal: areLocalTargetsAllowed(ctx.env) });
  if (problem) throw invalidField('target_url', `${problem.message}`);
  return targetUrl;
}

/**
 * Builds the statement that inserts the row, unless the same one exists, the account has its maximum, or the template
 * doesn't exist.
 */
function insert(ctx: AccountContext, row: NewRow) {
  const owned = sql`(select count(*) from ${webhookSubscriptions} where ${eq(webhookSubscriptions.accountId, ctx.account.id)})`;
  const holds = [
    sql`${owned} < ${SUBSCRIPTIONS_MAX}`,
    ...(row.templateId ? [templateExists(ctx, row.templateId)] : []),
  ];
  return ctx.db
    .insert(webhookSubscriptions)
    .select(sql`select ${rowValues(webhookSubscriptions, row)} where ${sql.join(holds, sql` and `)}`)
    .onConflictDoNothing()
    .returning();
}

function templateExists(ctx: AccountContext, templateId: string): SQL {
  const isOwn = and(eq(templates.id, templateId), eq(templates.accountId, ctx.account.id));
  return sql`exists (select 1 from ${templates} where ${isOwn})`;
}

/**
 * Removes subscriptions to deleted templates whose events were all sent or fetched. Runs only if the new subscription
 * would otherwise be refused.
 */
function removeUnused(ctx: AccountContext) {
  const { id, accountId, templateId } = webhookSubscriptions;
  const none = (table: SQLiteTable, ...conditions: SQL[]) =>
    sql`not exists (select 1 from ${table} where ${and(...conditions)})`;
  const isUnused = and(
    eq(accountId, ctx.account.id),
    isNotNull(templateId),
    none(templates, eq(templates.id, templateId)),
    none(templateDeletions, eq(templateDeletions.templateId, templateId)),
    none(events, IS_PENDING, sql`+${events.accountId} = ${accountId}`),
    ...[webhookDeliveries, earlierDeliveries].map((table) =>
      none(table, eq(table.subscriptionId, id), isNotNull(table.nextAttemptAt)),
    ),
    none(webhookPayloadCounts, eq(webhookPayloadCounts.subscriptionId, id), gt(webhookPayloadCounts.open, 0)),
  );
  return [addUncounted(ctx, isUnused!), ctx.db.delete(webhookSubscriptions).where(isUnused)] as const;
}

/**
 * Updates the options of the same subscription; undefined if there is none. Two round trips, because a token is
 * encrypted for the existing row.
 */
async function renew(
  ctx: AccountContext,
  row: NewRow,
  accessToken?: string,
): Promise<SubscriptionWithSecrets | undefined> {
  if (row.targetUrl === null) return undefined;
  const { accountId, targetUrl, event, templateId } = webhookSubscriptions;
  const ofTemplate = row.templateId === null ? isNull(templateId) : eq(templateId, row.templateId);
  const isSame = and(eq(accountId, ctx.account.id), eq(targetUrl, row.targetUrl), eq(event, row.event), ofTemplate);
  const [same] = await ctx.db.select().from(webhookSubscriptions).where(isSame);
  if (!same) return undefined;
  const { subscriptionUrl, retryEnabled, signPayload } = row;
  const token = accessToken === undefined ? {} : { accessTokenSealed: await seal(ctx.env, same.id, accessToken) };
  const wasActive = sql`${webhookSubscriptions.status} = 'active'`;
  const isTarget = and(eq(webhookSubscriptions.id, same.id), eq(accountId, ctx.account.id));
  const values = { subscriptionUrl, retryEnabled, signPayload, ...token, status: 'active' as const };
  const target = { type: 'webhook', id: same.id, name: row.event };
  const changes = columnChanges(webhookSubscriptions, values, ['subscriptionUrl', 'accessTokenSealed']);
  const entry = recordAction(ctx, { action: 'webhook.change', target, changes, from: webhookSubscriptions }, isTarget);
  const update = ctx.db
    .update(webhookSubscriptions)
    .set({
      ...values,
      failingSinceAt: sql`case when ${wasActive} then ${webhookSubscriptions.failingSinceAt} end`,
      notifyOwnerAt: null,
    })
    .where(isTarget)
    .returning(subscriptionColumns);
  const [, [subscription]] = await ctx.db.batch([entry, update]);
  return subscription && { subscription, secret: unseal(ctx.env, same.id, same.secretSealed), accessToken };
}

/** Throws the reason why a subscription couldn't be inserted. */
async function throwRefusal(ctx: AccountContext, { templateId }: NewRow): Promise<never> {
  if (templateId !== null) {
    const [row] = await ctx.db
      .select({ exists: templateExists(ctx, templateId).mapWith(Boolean).as('found') })
      .from(sql`(select 1)`);
    if (!row?.exists) throw notFound();
  }
  throw invalid(`The account has ${SUBSCRIPTIONS_MAX} subscriptions, the maximum; delete some first`);
}
