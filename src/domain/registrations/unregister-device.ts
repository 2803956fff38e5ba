import { and, sql } from 'drizzle-orm';
import { shardOf } from '../../platform/ids.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { endRegistration } from './change-registration.ts';
import { type DevicePass, type FoundDevicePass, findDevicePass, isOfDevice, isRegistered } from './find-device-pass.ts';
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
export function endStatements(
  { ctx, found }: Pick<FoundDevicePass, 'ctx' | 'found'>,
  device: DevicePass,
  pushToken?: string,
) {
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
