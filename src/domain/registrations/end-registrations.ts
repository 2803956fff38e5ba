import { and, eq, isNull, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { recordAtHome } from '../databases/follow-moves.ts';
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
 * and one per account. While an account moves, it waits: otherwise the pushes that this reports would be sent again.
 */
export async function endRegistrations(ctx: Context, gone: GoneDevice[]): Promise<void> {
  for (const [accountId, devices] of Map.groupBy(gone, (device) => device.accountId)) {
    await recordAtHome(ctx, accountId, (home) => endOfAccount(home, accountId, devices));
  }
}

async function endOfAccount(ctx: Context, accountId: string, gone: GoneDevice[]): Promise<void> {
  const named = JSON.stringify(gone.map(({ deviceId, passTypeId, pushToken }) => [deviceId, passTypeId, pushToken]));
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
        eq(registrations.accountId, accountId),
        isNull(registrations.endedAt),
      ),
    );
  if (rows.length === 0) return;
  const acting = await actForAccount(ctx, accountId);
  for (const some of slicesOf(rows, BATCH_REGISTRATIONS)) {
    const statements = some.flatMap((row) => {
      const { deviceId, passTypeId, pushToken } = row;
      const device = { deviceId, passTypeId, passId: row.pass.id };
      return endStatements({ ctx: acting, found: toDefinedPass(row) }, device, pushToken);
    });
    await commit(ctx, statements);
  }
}
