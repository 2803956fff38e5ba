import * as z from 'zod';
import { RetentionDays } from '../domain/accounts/account-settings.ts';
import type { Retention } from '../domain/accounts/table.ts';

const HINT = 'must be a whole number of days such as 365, or none';

/** A number of days in digits, or `none`. */
const Days = z
  .string()
  .transform((text) => ({ none: '', '': 'missing' })[text] ?? text)
  .transform((text, check) => {
    const { data, error } = RetentionDays.safeParse(text);
    if (error) check.addIssue({ code: 'custom', message: HINT });
    return data ?? null;
  })
  .optional();

/** Options of `account update` that set after how many days data is deleted; `none` keeps it. */
export const RetentionOptions = z.object({
  'retention-expired-passes-days': Days,
  'retention-voided-passes-days': Days,
  'retention-scans-days': Days,
  'retention-messages-days': Days,
});

const OPTION_OF: Record<keyof Retention, keyof typeof RetentionOptions.shape> = {
  expiredPassesDays: 'retention-expired-passes-days',
  voidedPassesDays: 'retention-voided-passes-days',
  scansDays: 'retention-scans-days',
  messagesDays: 'retention-messages-days',
};
const NAMES = Object.keys(OPTION_OF) as (keyof Retention)[];

/** The options as the usage text shows them. */
export const RETENTION_USAGE = NAMES.map((name) => `[--${OPTION_OF[name]} N|none]`).join(' ');

/** Returns the settings that the options give. */
export function retentionSettings(options: z.output<typeof RetentionOptions>): Partial<Retention> {
  const given = NAMES.map((name) => [name, options[OPTION_OF[name]]] as const);
  return Object.fromEntries(given.filter(([, days]) => days !== undefined));
}
