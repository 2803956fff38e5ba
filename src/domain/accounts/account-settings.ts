import { and, desc, eq, lt } from 'drizzle-orm';
import { z } from 'zod';
import { checkOutboundUrl, localTargetsAllowed } from '../../platform/outbound.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { EMAIL_HINT, URL_HINT } from '../fields.ts';
import { NewAccount } from './create-account.ts';
import { type Account, accounts } from './table.ts';
import { updateAccount } from './update-account.ts';

const EmptyIsNull = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text));
/** As long as an address that fetches images. */
const URL_CHARS_MAX = 2_048;
const Address = EmptyIsNull.pipe(
  z
    .url({ protocol: /^https?$/, error: URL_HINT })
    .max(URL_CHARS_MAX)
    .nullable(),
);

/** What the holder of an account sets; empty texts take away what is optional. */
export const AccountSettings = z.object({
  name: NewAccount.shape.name,
  timezone: NewAccount.shape.timezone.unwrap(),
  language: NewAccount.shape.language.unwrap(),
  logoUrl: Address,
  iconUrl: Address,
  replyTo: EmptyIsNull.pipe(z.email(EMAIL_HINT).nullable()),
  userProvidedLinks: z.boolean(),
});
export type AccountSettings = z.input<typeof AccountSettings>;

/** Changes what the holder of an account sets. One round trip. Throws `invalid` naming the field, also for an address that this service would not fetch. */
export async function changeAccountSettings(ctx: AccountContext, input: unknown): Promise<void> {
  const settings = checked(AccountSettings, input);
  const allowLocal = localTargetsAllowed(ctx.env);
  for (const name of ['logoUrl', 'iconUrl'] as const) {
    const problem = settings[name] === null ? undefined : checkOutboundUrl(settings[name], { allowLocal });
    if (problem) throw invalid(`${name}: ${problem.message}`);
  }
  await updateAccount(ctx, settings);
}

/** The accounts that this one has made, newest first; `beforeId` names the last one of the page before. */
export function listSubCustomers(
  ctx: AccountContext,
  { limit, beforeId }: { limit: number; beforeId?: string },
): Promise<Pick<Account, 'id' | 'name' | 'maxActivePasses' | 'createdAt'>[]> {
  const { id, name, maxActivePasses, createdAt, parentAccountId } = accounts;
  const mine = eq(parentAccountId, ctx.account.id);
  return ctx.db
    .select({ id, name, maxActivePasses, createdAt })
    .from(accounts)
    .where(beforeId === undefined ? mine : and(mine, lt(id, beforeId)))
    .orderBy(desc(id))
    .limit(limit);
}
