import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type DevicePass, isOfDevice } from './find-device-pass.ts';
import { registrations } from './table.ts';

/** A device with an active Apple registration for a pass. */
export interface PushTarget {
  passId: string;
  accountId: string;
  deviceId: string;
  /** Pass type of the registration, which is the topic of its pushes. */
  passTypeId: string;
  pushToken: string;
}

/**
 * Builds the query of the devices of an account's passes, or of the named device among them; `passIds` is SQL for a
 * query that returns their identifiers in a column `id`.
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
      // A cross join keeps its order: one index lookup per pass.
      .crossJoin(registrations)
      .where(hasDevice)
  );
}
