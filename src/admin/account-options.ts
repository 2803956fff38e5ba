import * as z from 'zod';
import { RetentionDays } from '../domain/accounts/account-settings.ts';
import type { Retention } from '../domain/accounts/table.ts';
import type { AccountContext } from '../domain/context.ts';
import { listQuotas } from '../domain/quotas/list-quotas.ts';
import type { QuotaSettings } from '../domain/quotas/set-quotas.ts';
import type { Quota } from '../domain/quotas/table.ts';

/** A larger quota makes no difference. */
const QUOTA_MAX = 1_000_000_000;
const QUOTA_HINT = 'must be a whole number such as 5000, or none';

const Quantity = z
  .string()
  .regex(/^(none|\d{1,10})$/, QUOTA_HINT)
  .transform((text) => (text === 'none' ? null : Number(text)))
  .refine((number) => number === null || number <= QUOTA_MAX, QUOTA_HINT)
  .optional();

/** Options of `account update` that set quotas; `none` removes one. */
export const QuotaOptions = z.object({
  'passes-max': Quantity,
  'active-passes-max': Quantity,
  'messages-per-day': Quantity,
  'requests-per-minute': Quantity,
  'sub-customers-max': Quantity,
});

const QUOTA_OPTION: Record<Quota, keyof typeof QuotaOptions.shape> = {
  passes: 'passes-max',
  activePasses: 'active-passes-max',
  messages: 'messages-per-day',
  requests: 'requests-per-minute',
  subCustomers: 'sub-customers-max',
};
const QUOTAS = Object.keys(QUOTA_OPTION) as Quota[];

/** The options as the usage text shows them. */
export const QUOTA_USAGE = QUOTAS.map((quota) => `[--${QUOTA_OPTION[quota]} N|none]`).join(' ');

/** Returns the quotas that the options set. */
export function quotaSettings(options: z.output<typeof QuotaOptions>): QuotaSettings {
  const given = QUOTAS.map((quota) => [quota, options[QUOTA_OPTION[quota]]] as const);
  return Object.fromEntries(given.filter(([, max]) => max !== undefined));
}

/** Returns the effective quotas by option name. The quota of a parent account applies where it is lower. */
export async function quotasView(ctx: AccountContext) {
  const list = await listQuotas(ctx);
  return Object.fromEntries(list.map(({ quota, max }) => [QUOTA_OPTION[quota], max ?? 'none']));
}

const DAYS_HINT = 'must be a whole number of days such as 365, or none';

/** A number of days in digits, or `none`. */
const Days = z
  .string()
  .transform((text) => ({ none: '', '': 'missing' })[text] ?? text)
  .transform((text, check) => {
    const { data, error } = RetentionDays.safeParse(text);
    if (error) check.addIssue({ code: 'custom', message: DAYS_HINT });
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

const RETENTION_OPTION: Record<keyof Retention, keyof typeof RetentionOptions.shape> = {
  expiredPassesDays: 'retention-expired-passes-days',
  voidedPassesDays: 'retention-voided-passes-days',
  scansDays: 'retention-scans-days',
  messagesDays: 'retention-messages-days',
};
const RETENTIONS = Object.keys(RETENTION_OPTION) as (keyof Retention)[];

/** The options as the usage text shows them. */
export const RETENTION_USAGE = RETENTIONS.map((name) => `[--${RETENTION_OPTION[name]} N|none]`).join(' ');

/** Returns the settings that the options give. */
export function retentionSettings(options: z.output<typeof RetentionOptions>): Partial<Retention> {
  const given = RETENTIONS.map((name) => [name, options[RETENTION_OPTION[name]]] as const);
  return Object.fromEntries(given.filter(([, days]) => days !== undefined));
}
