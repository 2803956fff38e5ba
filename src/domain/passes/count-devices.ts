import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { activePassCounts, passes } from './table.ts';

/** The present value of a count of devices, for the body of an event and for rules. */
export function deviceCount(passId: string, which: 'active' | 'inactive'): SQL<number> {
  const column = which === 'active' ? passes.numberOfActive : passes.numberOfInactive;
  return sql`(select ${column} from ${passes} where ${eq(passes.id, passId)})`;
}

/** SQL for the number of the account's passes that are on a device. */
export function activePassCount(accountId: string): SQL<number> {
  return sql`coalesce((select ${activePassCounts.active} from ${activePassCounts}
    where ${eq(activePassCounts.accountId, accountId)}), 0)`;
}

/**
 * The statements that count one more device of a pass, for the batch of a registration; the last one returns a row when `applies` held. `wasInactive` is 1 when the device is one of the
 * inactive ones and 0 when it is new. The pass itself does not change: no new version.
 */
export function countDevice(ctx: AccountContext, passId: string, wasInactive: SQL, applies: SQL) {
  const becomesActive = and(eq(passes.id, passId), eq(passes.numberOfActive, 0), applies);
  return [
    ctx.db
      .insert(activePassCounts)
      .select(sql`select ${ctx.account.id}, 1 from ${passes} where ${becomesActive}`)
      .onConflictDoUpdate({
        target: activePassCounts.accountId,
        set: { active: sql`${activePassCounts.active} + 1` },
      }),
    ctx.db
      .update(passes)
      .set({
        numberOfActive: sql`${passes.numberOfActive} + 1`,
        numberOfInactive: sql`${passes.numberOfInactive} - ${wasInactive}`,
        firstDownloadedAt: sql`coalesce(${passes.firstDownloadedAt}, ${Date.now()})`,
      })
      .where(and(eq(passes.id, passId), applies))
      .returning({ id: passes.id }),
  ] as const;
}

/** The statements that turn one device of a pass from active to inactive, for the batch that ends a registration. */
export function uncountDevice(ctx: AccountContext, passId: string, applies: SQL) {
  return [
    uncountActivePasses(ctx, sql`${passes.id} = ${passId} and ${passes.numberOfActive} = 1 and ${applies}`),
    ctx.db
      .update(passes)
      .set({
        numberOfActive: sql`${passes.numberOfActive} - 1`,
        numberOfInactive: sql`${passes.numberOfInactive} + 1`,
      })
      .where(and(eq(passes.id, passId), applies)),
  ] as const;
}

/** The statement that counts a device as inactive which the pass was never counted on, where `applies`. */
export function countInactiveDevice(ctx: AccountContext, passId: string, applies: SQL) {
  return ctx.db
    .update(passes)
    .set({ numberOfInactive: sql`${passes.numberOfInactive} + 1` })
    .where(and(eq(passes.id, passId), applies));
}

/** The statement that takes those of the selected passes which are active out of the account's count, for the batch in which they cease to be. */
export function uncountActivePasses(ctx: AccountContext, selected: SQL) {
  const ending = sql`(select count(*) from ${passes} where ${selected} and ${passes.numberOfActive} > 0)`;
  return ctx.db
    .update(activePassCounts)
    .set({ active: sql`${activePassCounts.active} - ${ending}` })
    .where(and(eq(activePassCounts.accountId, ctx.account.id), sql`${ending} > 0`));
}
