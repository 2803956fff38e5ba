import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type DevicePass, isOfDevice } from './find-device-pass.ts';
import { registrations } from './table.ts';

/** A device that is registered for a pass at Apple. */
export interface PushTarget {
  passId: string;
  accountId: string;
  deviceId: string;
  /** Pass type that the device has registered for: the topic of its pushes. */
  passTypeId: string;
  pushToken: string;
}

/**
 * The statement that finds the devices of an account's passes, or the one of them that is named; `passIds` is SQL for a
 * query that yields their identifiers in a column `id`.
 */
export function pushTargetsQuery(ctx: Context, accountId: string, passIds: SQL, device?: DevicePass) {
  const hasDevice = and(
    eq(registrations.passId, sql.raw('named.id')),
    // The plus keeps the condition from choosing an index.
    sql`+${registrations.accountId} = ${accountId}`,
    isNull(registrations.endedAt),
    isNotNull(registrations.pushToken),
    device && isOfDevice(device),
  );
  return (
    ctx.db
      .select({
        passId: registrations.passId,
        accountId: registrations.accountId,
        deviceId: registrations.deviceId,
        passTypeId: registrations.passTypeId,
        pushToken: sql<string>`${registrations.pushToken}`.as('push_token'),
      })
      .from(sql`${passIds} as named`)
      // A cross join keeps its order: pass by pass into the index.
      .crossJoin(registrations)
      .where(hasDevice)
  );
}
