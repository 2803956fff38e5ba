import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { removeNotifications } from '../notifications/manage-notifications.ts';
import { ALL, purge } from '../purge.ts';
import { isTemplateNamed, templateIdNamed } from '../template-restriction.ts';
import { customNumbers, templateDeletions, templates, templateVersions } from './table.ts';

/**
 * Deletes a template. Its passes disappear at once too, because queries join the template; the queue deletes them
 * later. Creates and moves check the template's row, so none comes too late. One of several concurrent calls deletes.
 * Two round trips. Throws not found.
 */
export async function deleteTemplate(ctx: AccountContext, name: string): Promise<void> {
  const mine = isTemplateNamed(ctx, name);
  const kept = sql`select ${templates.id}, ${templates.accountId}, ${templates.publishedVersion}, ${Date.now()} from ${templates}
    where ${mine}`;
  const target = { type: 'template', id: sql`${templates.id}`, name: sql`${templates.name}` };
  await enterOnce(ctx, `delete template ${name}`, async (id) => {
    const statements = [
      recordAction(ctx, { id, action: 'template.delete', target, from: templates }, mine),
      ctx.db.insert(templateDeletions).select(kept),
      removeNotifications(ctx, templateIdNamed(ctx, name)),
      ctx.db.delete(templates).where(mine).returning({ accountId: templates.accountId, templateId: templates.id }),
    ] as const;
    const [, , , deleted] = await commit(ctx, statements, ([, , , found]) => found.map(deletionJob));
    if (!deleted[0]) throw notFound();
  });
}

const deletionJob = (named: { accountId: string; templateId: string }) =>
  ({ type: 'delete-template-passes', ...named }) as const;

/** Marks a deletion as in progress and returns it; undefined if there is none or it has ended. */
export async function claimDeletion(ctx: Context, accountId: string, templateId: string) {
  const [deletion] = await ctx.db
    .update(templateDeletions)
    .set({ resumedAt: Date.now() })
    .where(and(eq(templateDeletions.templateId, templateId), eq(templateDeletions.accountId, accountId)))
    .returning();
  return deletion;
}

/** Removes the remaining rows of a deleted template after its passes; `alongside` removes their stored counts. */
export async function endDeletion(
  ctx: AccountContext,
  templateId: string,
  alongside: BatchItem<'sqlite'>,
): Promise<void> {
  await purge(ctx, customNumbers, eq(customNumbers.templateId, templateId), ALL);
  await purge(ctx, templateVersions, eq(templateVersions.templateId, templateId), ALL);
  await ctx.db.batch([
    alongside,
    ctx.db
      .delete(templateDeletions)
      .where(and(eq(templateDeletions.templateId, templateId), eq(templateDeletions.accountId, ctx.account.id))),
  ]);
}

/** Time without progress after which a deletion counts as abandoned: its message was lost or failed permanently. */
const ABANDONED_MS = 15 * 60_000;
/** A queue takes this many messages at once (Cloudflare, Queues limits). */
const RESUMED_MAX = 100;

/** Cron task: resumes abandoned deletions. One statement claims them, so concurrent runs resume each once. */
export async function resumeDeletions(ctx: Context, now = Date.now()): Promise<void> {
  const abandoned = ctx.db
    .select({ templateId: templateDeletions.templateId })
    .from(templateDeletions)
    .where(lt(templateDeletions.resumedAt, now - ABANDONED_MS))
    .limit(RESUMED_MAX);
  const claim = ctx.db
    .update(templateDeletions)
    .set({ resumedAt: now })
    .where(inArray(templateDeletions.templateId, abandoned))
    .returning({ accountId: templateDeletions.accountId, templateId: templateDeletions.templateId });
  await commit(ctx, [claim], ([claimed]) => claimed.map(deletionJob));
}
