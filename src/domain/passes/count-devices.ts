import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { countUse } from '../quotas/use.ts';
import { isOwnPass } from './own-pass.ts';
import { activePassCounts, passes } from './table.ts';

/** The present value of a count of devices, for the body of an event and for rules. */
export function deviceCount(ctx: AccountContext, passId: string, which: 'active' | 'inactive'): SQL<number> {
  const column = which === 'active' ? passes.numberOfActive : passes.numberOfInactive;
  return sql`(select ${column} from ${passes} where ${isOwnPass(ctx.account.id, passId)})`;
}

/** The statement for the number of a template's passes that are on a device, as `active`; no row: none yet. */
export function activePassesOfTemplateQuery(ctx: AccountContext, templateId: string | SQL) {
  return ctx.db.select({ active: activePassCounts.active }).from(activePassCounts).where(isOfTemplate(ctx, templateId));
}

/**
 * The statements that count one more device of a pass, for the batch of a registration; the last one returns a row when
 * `applies` held. `wasInactive` is 1 when the device is one of the inactive ones and 0 when it is new. The pass itself
 * does not change: no new version.
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

/** The statements that turn one device of a pass from active to inactive, for the batch that ends a registration. */
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

/** The statement that counts a device as inactive which the pass was never counted on, where `applies`. */
export function countInactiveDevice(ctx: AccountContext, passId: string, applies: SQL) {
  return ctx.db
    .update(passes)
    .set({ numberOfInactive: sql`${passes.numberOfInactive} + 1` })
    .where(and(isOwnPass(ctx.account.id, passId), applies));
}

/**
 * The statements that take those of the selected passes which are active out of the counts, for the batch in which they
 * cease to be.
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
 * The statement that carries a pass from one template's count over to another's where `applies`, for the batch that
 * moves it. Whether it is active is asked there: a registration makes no new version of the pass.
 */
export function recountMovedPass(ctx: AccountContext, passId: string, from: string, to: string, applies: SQL) {
  const changes = JSON.stringify({ [from]: -1, [to]: 1 });
  return addActivePasses(
    ctx,
    sql`select ${ctx.account.id}, change.key, change.value from ${passes} cross join json_each(${changes}) as change
      where ${isOwnPass(ctx.account.id, passId)} and ${passes.numberOfActive} > 0 and ${applies}`,
  );
}

/** The statement that forgets the count of a template that has no passes any more. */
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
