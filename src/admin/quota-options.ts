import * as z from 'zod';
import type { AccountContext } from '../domain/context.ts';
import { listQuotas } from '../domain/quotas/list-quotas.ts';
import type { QuotaSettings } from '../domain/quotas/set-quotas.ts';
import type { Quota } from '../domain/quotas/table.ts';

/** A larger quota makes no difference. */
const QUOTA_MAX = 1_000_000_000;
const HINT = 'must be a whole number such as 5000, or none';

const Quantity = z
  .string()
  .regex(/^(none|\d{1,10})$/, HINT)
  .transform((text) => (text === 'none' ? null : Number(text)))
  .refine((number) => number === null || number <= QUOTA_MAX, HINT)
  .optional();

/** Options of `account update` that set quotas; `none` removes one. */
export const QuotaOptions = z.object({
  'passes-max': Quantity,
  'active-passes-max': Quantity,
  'messages-per-day': Quantity,
  'requests-per-minute': Quantity,
  'sub-customers-max': Quantity,
});

const OPTION_OF: Record<Quota, keyof typeof QuotaOptions.shape> = {
  passes: 'passes-max',
  activePasses: 'active-passes-max',
  messages: 'messages-per-day',
  requests: 'requests-per-minute',
  subCustomers: 'sub-customers-max',
};
const QUOTAS = Object.keys(OPTION_OF) as Quota[];

/** The options as the usage text shows them. */
export const QUOTA_USAGE = QUOTAS.map((quota) => `[--${OPTION_OF[quota]} N|none]`).join(' ');

/** Returns the quotas that the options set. */
export function quotaSettings(options: z.output<typeof QuotaOptions>): QuotaSettings {
  const given = QUOTAS.map((quota) => [quota, options[OPTION_OF[quota]]] as const);
  return Object.fromEntries(given.filter(([, max]) => max !== undefined));
}

/** Returns the effective quotas by option name. The quota of a parent account applies where it is lower. */
export async function quotasView(ctx: AccountContext) {
  const list = await listQuotas(ctx);
  return Object.fromEntries(list.map(({ quota, max }) => [OPTION_OF[quota], max ?? 'none']));
}
