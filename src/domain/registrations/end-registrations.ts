import { and, eq, isNull, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { slicesOf } from '../../platform/chunks.ts';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { DEFINED_PASS, toDefinedPass } from '../passes/find-pass.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import type { PushTarget } from './find-push-targets.ts';
import { registrations } from './table.ts';
import { endStatements } from './unregister-device.ts';

/** A device to which Apple's push service no longer delivers. */
export type GoneDevice = Pick<PushTarget, 'accountId' | 'deviceId' | 'passTypeId' | 'pushToken'>;

/** Registrations per batch, each with four statements. */
const BATCH_REGISTRATIONS = 20;

/**
 * Ends registrations whose push token is gone, with counts and events, as if the devices had unregistered. Affects only
 * passes of the account whose push failed. A device with a newer token stays. Two round trips per twenty registrations,
 * and one per account.
 */
export async function endRegistrations(ctx: Context, gone: GoneDevice[]): Promise<void> {
  if (gone.length === 0) return;
  const named = JSON.stringify(
    gone.map(({ deviceId, passTypeId, pushToken, accountId }) => [deviceId, passTypeId, pushToken, accountId]),
  );
  const value = (at: number) => sql.raw(`gone.value ->> ${at}`);
  const rows = await ctx.db
    .select({
      ...DEFINED_PASS,
      deviceId: registrations.deviceId,
      passTypeId: registrations.passTypeId,
      pushToken: sql<string>`${registrations.pushToken}`.as('push_token'),
    })
    .from(sql`json_each(${named}) as gone`)
    // A cross join keeps its order: one index lookup per device.
    .crossJoin(registrations)
    .innerJoin(passes, eq(passes.id, registrations.passId))
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(
      and(
        eq(registrations.deviceId, value(0)),
        eq(registrations.passTypeId, value(1)),
        eq(registrations.pushToken, value(2)),
        eq(registrations.accountId, value(3)),
        isNull(registrations.endedAt),
      ),
    );
  const accounts = new Map<string, AccountContext>();
  for (const some of slicesOf(rows, BATCH_REGISTRATIONS)) {
    const statements: BatchItem<'sqlite'>[] = [];
    for (const row of some) {
      const { accountId } = row.pass;
      const acting = accounts.get(accountId) ?? (await actForAccount(ctx, accountId));
      accounts.set(accountId, acting);
      const { deviceId, passTypeId, pushToken } = row;
      const device = { deviceId, passTypeId, passId: row.pass.id };
      statements.push(...endStatements({ ctx: acting, found: toDefinedPass(row) }, device, pushToken));
    }
    await commit(ctx, statements);
  }
}
