import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import type { NewEvent } from '../events/record-event.ts';
import { deviceCount } from '../passes/count-devices.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { passEventBody } from '../passes/pass-event.ts';

/** What devices run: those that speak Apple's protocol, and those with Google Wallet. */
export type OperatingSystem = 'iOS' | 'Android';

export type RegistrationEventType =
  | 'pushnotification_registered'
  | 'first_pushnotification_registered'
  | 'pushnotification_unregistered';

/**
 * An event of a registration: the keys of pass events, the operating system, and the numbers of devices that the pass
 * is active and inactive on once it has happened. They are computed in the batch, in front of the change by `active`
 * and `inactive`, and so are right also when devices race.
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
