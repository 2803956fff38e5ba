import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { countUse } from '../quotas/use.ts';
import { isOwnPass } from './own-pass.ts';
import { activePassCounts, passes } from './table.ts';

/** Builds the query of a current device count, for event bodies and rules. */
export function deviceCount(ctx: AccountContext, passId: string, which: 'active' | 'inactive'): SQL<number> {
  const column = which === 'active' ? passes.numberOfActive : passes.numberOfInactive;
  return sql`(select ${column} from ${passes} where ${isOwnPass(ctx.account.id, passId)})`;
}

/** Builds the query of the number of a template's passes that are on a device, as `active`. No row means none yet. */
export function activePassesOfTemplateQuery(ctx: AccountContext, templateId: string | SQL) {
  return ctx.db.select({ active: activePassCounts.active }).from(activePassCounts).where(isOfTemplate(ctx, templateId));
}

/**
 * Builds the statements that count a new active device, for the batch of its registration. The last one returns a row
 * if `applies` held. `wasInactive` is 1 for a device that was inactive and 0 for a new one. The pass gets no new
 * version.
 */
export function countDevice(ctx: AccountContext, passId: string, wasInactive: SQL, applies: SQL) {
  const becomesActive = and(isOwnPass(ctx.account.id, passId), eq(passes.numberOfActive, 0), applies);
  return [
    countUse(ctx, 'activePasses', sql`select count(*) from ${passes} where ${becomesActive}`),
    addActivePasses(ctx, sql`select ${ctx.account.id}, ${passes.templateId}, 1 from ${passes} where ${becomesActive}`),
    ctx.db
      .update(passes)
      .set({
        numberOfActive: sql`${passes.numberOfActive} + 1`,
        numberOfInactive: sql`${passes.numberOfInactive} - ${wasInactive}`,
        firstDownloadedAt: sql`coalesce(${passes.firstDownloadedAt}, ${Date.now()})`,
      })
      .where(and(isOwnPass(ctx.account.id, passId), applies))
      .returning({ id: passes.id }),
  ] as const;
}

/** Builds the statements that turn an active device into an inactive one, for the batch that ends its registration. */
export function uncountDevice(ctx: AccountContext, passId: string, applies: SQL) {
  return [
    ...uncountActivePasses(
      ctx,
      sql`${isOwnPass(ctx.account.id, passId)} and ${passes.numberOfActive} = 1 and ${applies}`,
    ),
    ctx.db
      .update(passes)
      .set({
        numberOfActive: sql`${passes.numberOfActive} - 1`,
        numberOfInactive: sql`${passes.numberOfInactive} + 1`,
      })
      .where(and(isOwnPass(ctx.account.id, passId), applies)),
  ] as const;
}

/** Builds the statement that counts a device as inactive without ever having counted it as active, if `applies`. */
export function countInactiveDevice(ctx: AccountContext, passId: string, applies: SQL) {
  return ctx.db
    .update(passes)
    .set({ numberOfInactive: sql`${passes.numberOfInactive} + 1` })
    .where(and(isOwnPass(ctx.account.id, passId), applies));
}

/**
 * Builds the statements that remove the active ones among the selected passes from the counts, for the batch that ends
 * their active state.
 */
export function uncountActivePasses(ctx: AccountContext, selected: SQL) {
  const active = sql`${selected} and ${passes.numberOfActive} > 0`;
  return [
    countUse(ctx, 'activePasses', sql`select -count(*) from ${passes} where ${active}`),
    addActivePasses(
      ctx,
      sql`select ${ctx.account.id}, ${passes.templateId}, -count(*) from ${passes}
        where ${active} group by ${passes.templateId}`,
    ),
  ] as const;
}

/**
 * Builds the statement that moves a pass from one template's count to another's, for the batch that moves the pass. The
 * batch checks whether it is active, because a registration creates no new version.
 */
export function recountMovedPass(ctx: AccountContext, passId: string, from: string, to: string, applies: SQL) {
  const changes = JSON.stringify({ [from]: -1, [to]: 1 });
  return addActivePasses(
    ctx,
    sql`select ${ctx.account.id}, change.key, change.value from ${passes} cross join json_each(${changes}) as change
      where ${isOwnPass(ctx.account.id, passId)} and ${passes.numberOfActive} > 0 and ${applies}`,
  );
}

/** Builds the statement that deletes the count of a template without passes. */
export function removeActivePassCount(ctx: AccountContext, templateId: string) {
  return ctx.db.delete(activePassCounts).where(isOfTemplate(ctx, templateId));
}

/** `changes` selects account, template, and the number to add. */
function addActivePasses(ctx: AccountContext, changes: SQL) {
  return ctx.db
    .insert(activePassCounts)
    .select(changes)
    .onConflictDoUpdate({
      target: [activePassCounts.accountId, activePassCounts.templateId],
      set: { active: sql`${activePassCounts.active} + excluded.active` },
    });
}

function isOfTemplate(ctx: AccountContext, templateId: string | SQL): SQL | undefined {
  return and(eq(activePassCounts.accountId, ctx.account.id), eq(activePassCounts.templateId, templateId));
}
