import { checkOutboundUrl, localTargetsAllowed } from '../../platform/outbound.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { type CreatedAccount, createAccount, type NewAccount } from './create-account.ts';
import type { Contact } from './table.ts';

/** What the caller says of a sub-customer. */
export interface NewSubCustomer
  extends Pick<NewAccount, 'name' | 'language' | 'logoUrl' | 'iconUrl' | 'maxActivePasses'> {
  contact: Contact;
}

/**
 * Creates a sub-customer of the caller's account, with a key that works at once. One round trip. Throws `invalid`
 * naming the field, also for an address of logo or icon that this service would not fetch, and `forbidden` for the
 * quota of sub-customers.
 */
export async function createSubCustomer(
  ctx: AccountContext,
  { contact, ...fields }: NewSubCustomer,
): Promise<CreatedAccount> {
  const allowLocal = localTargetsAllowed(ctx.env);
  for (const name of ['logoUrl', 'iconUrl'] as const) {
    const problem = fields[name] ? checkOutboundUrl(fields[name], { allowLocal }) : undefined;
    if (problem) throw invalidField(name, `${problem.message}`);
  }
  return createAccount(ctx, { ...fields, parentAccountId: ctx.account.id }, { contact, parent: ctx });
}
