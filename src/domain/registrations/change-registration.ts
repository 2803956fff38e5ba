import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { isRecorded, type NewEvent, newEventId, recordEvent } from '../events/record-event.ts';
import { countDevice, deviceCount, uncountDevice } from '../passes/count-devices.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { passEventBody } from '../passes/pass-event.ts';
import { passes } from '../passes/table.ts';
import { type DevicePass, isOfDevice } from './find-device-pass.ts';
import { registrations } from './table.ts';

/** Operating system of devices: iOS for Apple's protocol, Android for Google Wallet. */
type OperatingSystem = 'iOS' | 'Android';

type RegistrationEventType =
  | 'pushnotification_registered'
  | 'first_pushnotification_registered'
  | 'pushnotification_unregistered';

/**
 * Builds a registration event: the keys of pass events, the operating system, and the numbers of active and inactive
 * devices afterwards. The batch computes these before the change, with `active` and `inactive`, so they are correct
 * even for concurrent devices.
 */
function registrationEvent(
  ctx: AccountContext,
  { pass, definition }: DefinedPass,
  type: RegistrationEventType,
  change: { active: SQL; inactive: SQL; condition: SQL; id?: string; operatingSystem: OperatingSystem },
): NewEvent<RegistrationEventType, 'noOfActivePasses' | 'noOfInactivePasses'> {
  return {
    id: change.id,
    type,
    templateId: pass.templateId,
    passId: pass.id,
    body: { ...passEventBody(ctx, pass, definition), operatingSystem: change.operatingSystem },
    computed: {
      noOfActivePasses: sql`${deviceCount(ctx, pass.id, 'active')} + ${change.active}`,
      noOfInactivePasses: sql`${deviceCount(ctx, pass.id, 'inactive')} + ${change.inactive}`,
    },
    condition: change.condition,
  };
}

/** Start or end of a registration. */
interface RegistrationChange {
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
