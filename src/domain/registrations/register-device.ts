import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { BatchResponse } from 'drizzle-orm/batch';
import { commit, enqueueSoon } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import { findEvent, newEventId } from '../events/record-event.ts';
import { deviceCount } from '../passes/count-devices.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { jobsOfDevicePush, requestDevicePush } from '../pushes/request-pushes.ts';
import { hasRoom, quotaExceeded } from '../quotas/use.ts';
import { enforceRateLimit } from '../rate-limits.ts';
import { templates } from '../templates/table.ts';
import { writeOnce } from '../write-once.ts';
import { beginRegistration } from './change-registration.ts';
import {
  type DevicePass,
  type FoundDevicePass,
  findDevicePass,
  isInLibrary,
  isOfDevice,
  isRegistered,
} from './find-device-pass.ts';
import { registrations } from './table.ts';

/**
 * Maximum number of devices that have a pass at a time. A shared pass may be on thousands, and each update is a push to
 * all of them, so this limits a push. At the rate limit of one address, fake devices take an hour and a half to reach
 * it.
 */
export const DEVICES_MAX = 10_000;
/**
 * Maximum number of devices that ever had a pass: each is a row. Devices that removed it make room for others only up
 * to this number.
 */
export const DEVICES_EVER_MAX = 100_000;

/** Input of a registration. */
export interface NewRegistration {
  token: string;
  pushToken: string;
  /** Origin of the request, from `callerNetwork`; undefined: no rate limit. */
  network?: string;
}

/** Result of a registration. */
export type RegistrationResult = 'new' | 'known';

/**
 * Registers a device for a pass, in at most two round trips; a new push token applies to its whole library. If the pass
 * ever changed, it is pushed, because the device's file may be old. Throws `unauthorized` (token), not found (gone or
 * another pass type), `forbidden` (maximum of devices or active passes) and `too_many_requests`.
 */
export async function registerDevice(
  ctx: Context,
  device: DevicePass,
  { token, pushToken, network }: NewRegistration,
): Promise<RegistrationResult> {
  const devicePass = await findDevicePass(ctx, device, token);
  if (!devicePass || devicePass.signedAs !== device.passTypeId) throw notFound();
  const { registration } = devicePass;
  if (registration && registration.endedAt === null && registration.pushToken === pushToken) return 'known';
  await limitRegistrations(ctx, device.passId, network);
  const { hasChanged, known, counted, isFull } = await write(devicePass, device, pushToken);
  if (counted) return 'new';
  if (known) return 'known';
  if (hasChanged === null) throw notFound();
  throw isFull
    ? new DomainError('forbidden', 'The pass is already on its maximum number of devices')
    : quotaExceeded('activePasses');
}

/** Applies the rate limits. A device that is already registered doesn't count. */
async function limitRegistrations({ env }: Context, passId: string, network: string | undefined): Promise<void> {
  if (network === undefined) return;
  await enforceRateLimit(env, 'registration-by-address', network);
  await enforceRateLimit(env, 'registration', `${passId} ${network}`);
  await enforceRateLimit(env, 'registration-by-pass', passId);
}

/** Builds the condition that no more devices may register for the pass in `passes`. */
function isFullFor(ctx: AccountContext, device: DevicePass): SQL {
  const { numberOfActive, numberOfInactive } = passes;
  return sql`(${numberOfActive} >= ${DEVICES_MAX} or (${numberOfActive} + ${numberOfInactive} >= ${DEVICES_EVER_MAX}
    and not exists (select 1 from ${registrations} where ${isOfDevice(device, ctx.account.id)})))`;
}

async function write({ ctx, found }: FoundDevicePass, device: DevicePass, pushToken: string) {
  const { passId } = device;
  const canTakeDevice = sql`exists (select 1 from ${passes} join ${templates} on ${eq(templates.id, passes.templateId)}
    where ${isOwnPass(ctx.account.id, passId)} and not ${isFullFor(ctx, device)})`;
  const condition = sql`${canTakeDevice} and not ${isRegistered(ctx, device)} and ${hasRoomFor(ctx, passId)}`;
  const eventId = newEventId(ctx);
  const registration = { found, device, operatingSystem: 'iOS', condition, eventId } as const;
  const { statements, applies } = beginRegistration(ctx, registration);
  const batch = [
    ...statements,
    upsert(ctx, device, pushToken, applies),
    ctx.db
      .update(registrations)
      .set({ pushToken })
      .where(and(isInLibrary(device), isNull(registrations.endedAt), ne(registrations.pushToken, pushToken))),
    ctx.db
      .select({
        // Null: the pass is gone.
        hasChanged: sql<number | null>`${hasChangedSinceMade(ctx, passId)}`.as('has_changed'),
        known: sql<number>`${isRegistered(ctx, device)}`.as('known'),
        isFull:
          sql<number>`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, passId)} and ${isFullFor(ctx, device)})`.as(
            'is_full',
          ),
      })
      .from(sql`(select 1)`),
    requestDevicePush(ctx, device, sql`${isRegistered(ctx, device)} and ${hasChangedSinceMade(ctx, passId)}`),
  ] as const;
  const outcome = ([, , , , counted, , , [after]]: BatchResponse<typeof batch>) => ({
    counted: counted.length > 0,
    hasChanged: after?.hasChanged ?? null,
    known: after?.known === 1,
    isFull: after?.isFull === 1,
  });
  // A repeated write would report its own registration as known.
  const find = async () => {
    if ((await findEvent(ctx, eventId)) === undefined) return undefined;
    enqueueSoon(ctx, await jobsOfDevicePush(ctx, device));
    return { counted: true, hasChanged: null, known: true, isFull: false };
  };
  return writeOnce<ReturnType<typeof outcome>>({}, find, async () => outcome(await commit(ctx, batch)));
}

/** Builds whether a pass, or the definition that it shows, has changed since it was created; null if it is gone. */
function hasChangedSinceMade(ctx: AccountContext, passId: string): SQL {
  return sql`(select ${passes.version} > 1 or ${templates.publishedVersion} > ${passes.templateVersion}
    from ${passes} join ${templates} on ${eq(templates.id, passes.templateId)} where ${isOwnPass(ctx.account.id, passId)})`;
}

/**
 * Builds the condition that the quota has room. It counts active passes, so further devices of an active pass count
 * only for `DEVICES_MAX`.
 */
function hasRoomFor(ctx: AccountContext, passId: string): SQL {
  return sql`(${deviceCount(ctx, passId, 'active')} > 0 or ${hasRoom(ctx, 'activePasses')})`;
}

function upsert(ctx: AccountContext, { deviceId, passTypeId, passId }: DevicePass, pushToken: string, applies: SQL) {
  const now = Date.now();
  return ctx.db
    .insert(registrations)
    .select(
      sql`select ${deviceId}, ${passTypeId}, ${passId}, ${ctx.account.id}, ${pushToken}, ${now}, null, null where ${applies}`,
    )
    .onConflictDoUpdate({
      target: [registrations.deviceId, registrations.passTypeId, registrations.passId],
      set: { pushToken, registeredAt: now, endedAt: null },
      setWhere: eq(registrations.accountId, ctx.account.id),
    });
}
