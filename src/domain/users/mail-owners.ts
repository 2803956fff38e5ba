import { and, eq, sql } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import type { SendResult } from '../../platform/mail.ts';
import { accountContacts, accounts } from '../accounts/table.ts';
import { type Context, inAccount, inDirectory } from '../context.ts';
import { type SafeText, systemMail, trySendMail } from '../messages/system-mail.ts';
import { memberships, users } from './table.ts';

/** A mail to the owners of an account, in paragraphs. */
export interface OwnerMail {
  accountId: string;
  subject: SafeText;
  lines: SafeText[];
  /** The log line for an owner who could not be notified, and its subject. */
  failure: { event: string } & Record<string, unknown>;
}

/**
 * Mails the owners of an account. Returns false if it must be tried again: no owner was reached, and that may pass. An
 * owner who was reached is not notified again because of another who was not.
 */
export async function mailOwners(ctx: Context, mail: OwnerMail): Promise<boolean> {
  const outcomes: SendResult['outcome'][] = [];
  try {
    const { name, addresses } = await ownersOf(ctx, mail.accountId);
    for (const to of addresses) outcomes.push(await mailOwner(ctx, mail, { to, name }));
  } catch (error) {
    logFailure(ctx, mail, describeError(error));
    return false;
  }
  return outcomes.includes('sent') || !outcomes.includes('unavailable');
}

interface Recipient {
  to: string;
  /** Name of the account, because a person can own several. */
  name: string | undefined;
}

async function mailOwner(ctx: Context, mail: OwnerMail, { to, name }: Recipient): Promise<SendResult['outcome']> {
  const { subject, lines } = mail;
  const facts: [string, string][] = name === undefined ? [] : [['Account', name]];
  try {
    const result = await trySendMail(ctx, systemMail(ctx, to, { subject, lines, facts }));
    if (result.outcome !== 'sent') logFailure(ctx, mail, result.reason);
    return result.outcome;
  } catch (error) {
    logFailure(ctx, mail, describeError(error));
    return 'unavailable';
  }
}

function logFailure({ requestId }: Context, { failure }: OwnerMail, error: unknown): void {
  logLine('error', { ...failure, requestId, error });
}

/**
 * Returns the account's name and the addresses of its owners; without owners, as with some sub-customers, that of its
 * contact.
 */
async function ownersOf(ctx: Context, accountId: string): Promise<{ name: string | undefined; addresses: string[] }> {
  const { db } = inDirectory(ctx);
  const [owners, [account]] = await Promise.all([
    db
      .select({ email: users.email })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(
        and(
          eq(memberships.accountId, accountId),
          sql`exists (select 1 from json_each(${memberships.privileges}) where value = 'owner')`,
        ),
      ),
    inAccount(ctx, accountId)
      .db.select({ name: accounts.name, contact: accountContacts.contact })
      .from(accounts)
      .leftJoin(accountContacts, eq(accountContacts.accountId, accounts.id))
      .where(eq(accounts.id, accountId)),
  ]);
  const addresses = owners.map(({ email }) => email);
  if (addresses.length === 0 && account?.contact?.email) addresses.push(account.contact.email);
  return { name: account?.name, addresses };
}
