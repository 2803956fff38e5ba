import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Action, ofOwner, recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { Context, OwnerContext } from '../context.ts';
import { beginPublicationFanOuts } from '../pushes/begin-fan-out.ts';
import { templateTarget } from '../template-restriction.ts';
import { versionNumber } from '../versions.ts';
import { type Notification, notifications } from './table.ts';

/** Notifications per statement; the queue takes this many messages at once (Cloudflare, Queues limits). */
const PAGE_ROWS = 100;
/** Pages per run; the next one follows a minute later. */
const PAGES_MAX = 20;

/**
 * Time within which the work must follow a pickup. After it, the notification counts as abandoned, and the cron picks
 * it up again.
 */
export const PICKUP_LEASE_MS = 10 * 60_000;

/** The statement that publishes a version of a template; running it twice must change nothing. */
export type PublishVersion = (
  ctx: Context,
  accountId: string,
  templateId: string,
  version: number,
) => BatchItem<'sqlite'>;

/**
 * Cron task: executes due notifications. One conditional statement claims a row, so that only one of two cron runs gets
 * it. A publication runs here with its fan-out; a push goes to the queue. A claim without a follow-up expires with its
 * lease, so nothing is lost, and follow-ups must tolerate repetition.
 */
export async function publishDueNotifications(ctx: Context, publish: PublishVersion, now = Date.now()): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await pickUp(ctx, now);
    await publishVersions(ctx, rows, publish);
    if (rows.length < PAGE_ROWS) return;
  }
}

type PickedUp = Pick<Notification, 'id' | 'accountId' | 'templateId' | 'version'>;

async function pickUp(ctx: Context, now: number): Promise<PickedUp[]> {
  const due = ctx.db
    .select({ id: notifications.id })
    .from(notifications)
    .where(lte(notifications.dueAt, now))
    .orderBy(asc(notifications.dueAt))
    .limit(PAGE_ROWS);
  const claim = ctx.db
    .update(notifications)
    .set({
      state: 'executed',
      executedAt: sql`coalesce(${notifications.executedAt}, ${now})`,
      dueAt: now + PICKUP_LEASE_MS,
    })
    .where(inArray(notifications.id, due))
    .returning({
      id: notifications.id,
      accountId: notifications.accountId,
      templateId: notifications.templateId,
      version: notifications.version,
    });
  const [rows] = await commit(ctx, [claim], ([pickedUp]) =>
    pickedUp
      .filter(({ version }) => version === null)
      .map(({ id, accountId }) => ({ type: 'push-template-notification', accountId, notificationId: id })),
  );
  return rows;
}

/** Builds the statement that records who published a version; it follows the one that publishes. */
export function recordPublished(ctx: OwnerContext, target: Action['target'], version: number) {
  const changes = [{ field: 'version', new: versionNumber(version) }];
  return recordAction(ctx, { action: 'template.publish', target, changes });
}

async function publishVersions(ctx: Context, rows: PickedUp[], publish: PublishVersion): Promise<void> {
  const fanOuts: ReturnType<typeof beginPublicationFanOuts>[number][] = [];
  const publications: BatchItem<'sqlite'>[] = [];
  for (const { id, accountId, templateId, version } of rows) {
    if (version === null) continue;
    const owner = ofOwner(ctx, accountId);
    fanOuts.push(...beginPublicationFanOuts(ctx, accountId, templateId, version));
    publications.push(
      publish(ctx, accountId, templateId, version),
      recordPublished(owner, templateTarget(owner, templateId), version),
      ctx.db
        .update(notifications)
        .set({ dueAt: null })
        .where(and(eq(notifications.id, id), eq(notifications.accountId, accountId))),
    );
  }
  if (fanOuts.length === 0) return;
  // Fan-outs come first: they read what has been published so far.
  await commit(ctx, [...fanOuts, ...publications]);
}
