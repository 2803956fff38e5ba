import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import type { NewEvent } from '../events/record-event.ts';
import { deviceCount } from '../passes/count-devices.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { passEventBody } from '../passes/pass-event.ts';

/** Operating system of devices: iOS for Apple's protocol, Android for Google Wallet. */
export type OperatingSystem = 'iOS' | 'Android';

export type RegistrationEventType =
  | 'pushnotification_registered'
  | 'first_pushnotification_registered'
  | 'pushnotification_unregistered';

/**
 * Builds a registration event: the keys of pass events, the operating system, and the numbers of active and inactive
 * devices afterwards. The batch computes these before the change, with `active` and `inactive`, so they are correct
 * even for concurrent devices.
 */
export function registrationEvent(
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
