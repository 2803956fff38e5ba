import { and, eq, isNull, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { shardOf } from '../../platform/ids.ts';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { findInShard, recordAtHome } from '../databases/follow-moves.ts';
import { DEFINED_PASS, toDefinedPass } from '../passes/find-pass.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { endRegistration } from './change-registration.ts';
import { type DevicePass, type FoundDevicePass, findDevicePass, isOfDevice, isRegistered } from './find-device-pass.ts';
import type { PushTarget } from './find-push-targets.ts';
import { registrations } from './table.ts';

/**
 * Ends the registration of a device for a pass: row, counts and event in one batch; repeating it is harmless. Accepts
 * any pass type, so that a device can always unregister. At most two round trips. Throws `unauthorized` for a wrong
 * `token`; without a pass, the registration is deleted.
 */
export async function unregisterDevice(ctx: Context, device: DevicePass, token: string): Promise<void> {
  const devicePass = await findDevicePass(ctx, device, token);
  if (!devicePass) return removeRest(ctx, device);
  if (devicePass.registration?.endedAt === null) await commit(devicePass.ctx, endStatements(devicePass, device));
}

/**
 * Builds the statements that end the registration of a device for a pass, if it has one; with `pushToken` only a
 * registration with this token.
 */
function endStatements({ ctx, found }: Pick<FoundDevicePass, 'ctx' | 'found'>, device: DevicePass, pushToken?: string) {
  const passExists = sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, device.passId)})`;
  const condition = sql`${passExists} and ${isRegistered(ctx, device, pushToken)}`;
  const { statements, applies } = endRegistration(ctx, { found, device, operatingSystem: 'iOS', condition });
  return [
    ...statements,
    ctx.db
      .update(registrations)
      .set({ endedAt: Date.now(), pushToken: null })
      .where(and(isOfDevice(device, ctx.account.id), applies)),
  ] as const;
}

async function removeRest(ctx: Context, device: DevicePass): Promise<void> {
  const isGone = sql`not exists (select 1 from ${passes} where ${passes.id} = ${device.passId})`;
  await findInShard(ctx, { shard: shardOf(device.passId) }, async ({ db }) => {
    await db.delete(registrations).where(and(isOfDevice(device), isGone));
  });
}

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
