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

/** What a registration that begins or ends is about. */
export interface RegistrationChange {
  found: DefinedPass;
  device: DevicePass;
  operatingSystem: OperatingSystem;
  /** What must hold when the batch runs; also that the device is registered, or is not. */
  condition: SQL;
  /** Identifier of its event, where a repeat shall find it; absent: a new one. */
  eventId?: string;
}

/**
 * The statements that note and count a registration that begins, for a batch that then stores it if `applies` holds.
 * They stand in front of the row, which says whether the device is among the pass's inactive ones. The last one returns
 * a row when it applied.
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

/** The statements that note and count a registration that ends, for a batch that then stores it if `applies` holds. */
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
