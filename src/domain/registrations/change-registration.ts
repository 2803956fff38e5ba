import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { isRecorded, newEventId, recordEvent } from '../events/record-event.ts';
import { countDevice, uncountDevice } from '../passes/count-devices.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { type DevicePass, isOfDevice } from './find-device-pass.ts';
import { type OperatingSystem, registrationEvent } from './registration-event.ts';
import { registrations } from './table.ts';

/** Start or end of a registration. */
export interface RegistrationChange {
  found: DefinedPass;
  device: DevicePass;
  operatingSystem: OperatingSystem;
  /** Condition when the batch runs, including whether the device is registered. */
  condition: SQL;
  /** Identifier of its event, if a repeat must find it; absent: a new one. */
  eventId?: string;
}

/**
 * Builds the statements that record and count a new registration. The batch then stores its row if `applies` holds;
 * they precede the row, which still shows whether the device is inactive. The last one returns a row if it applied.
 */
export function beginRegistration(ctx: AccountContext, change: RegistrationChange) {
  const { found, device, operatingSystem, condition } = change;
  const passId = found.pass.id;
  const id = change.eventId ?? newEventId(ctx);
  const applies = isRecorded(ctx, id);
  const wasInactive = sql`exists (select 1 from ${registrations} where ${isOfDevice(device, ctx.account.id)})`;
  const counts = { active: sql`1`, inactive: sql`-${wasInactive}`, operatingSystem };
  const isFirst = sql`${applies} and exists (select 1 from ${passes}
    where ${isOwnPass(ctx.account.id, passId)} and ${passes.firstDownloadedAt} is null and ${passes.numberOfActive} = 0)`;
  const event = (type: Parameters<typeof registrationEvent>[2], when: SQL, eventId?: string) =>
    recordEvent(ctx, registrationEvent(ctx, found, type, { ...counts, condition: when, id: eventId }));
  const statements = [
    event('pushnotification_registered', condition, id),
    event('first_pushnotification_registered', isFirst),
    ...countDevice(ctx, passId, wasInactive, applies),
  ] as const;
  return { statements, applies };
}

/**
 * Builds the statements that record and count the end of a registration, for a batch that then stores it if `applies`
 * holds.
 */
export function endRegistration(ctx: AccountContext, change: RegistrationChange) {
  const { found, operatingSystem, condition } = change;
  const id = newEventId(ctx);
  const applies = isRecorded(ctx, id);
  const counts = { active: sql`-1`, inactive: sql`1`, condition, id, operatingSystem };
  const statements = [
    recordEvent(ctx, registrationEvent(ctx, found, 'pushnotification_unregistered', counts)),
    ...uncountDevice(ctx, found.pass.id, applies),
  ] as const;
  return { statements, applies };
}
