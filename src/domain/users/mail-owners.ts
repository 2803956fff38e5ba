import { and, eq, sql } from 'drizzle-orm';
import { escapeHtml } from '../../platform/html.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { SendResult } from '../../platform/send-result.ts';
import { accountContacts } from '../accounts/table.ts';
import { type Context, inAccount, inDirectory } from '../context.ts';
import { trySendMail } from '../messages/send-mail.ts';
import { memberships, users } from './table.ts';

/** A mail to the owners of an account: paragraphs of plain text. */
export interface OwnerMail {
  accountId: string;
  subject: string;
  lines: string[];
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
    for (const to of await ownersOf(ctx, mail.accountId)) outcomes.push(await mailOwner(ctx, mail, to));
  } catch (error) {
    logFailure(ctx, mail, describeError(error));
    return false;
  }
  return outcomes.includes('sent') || !outcomes.includes('unavailable');
}

async function mailOwner(ctx: Context, mail: OwnerMail, to: string): Promise<SendResult['outcome']> {
  const { subject, lines } = mail;
  const text = lines.join('\n\n');
  const html = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  try {
    const result = await trySendMail(ctx, { to, subject, text, html });
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

/** Returns the addresses of the account's owners; without owners, as with some sub-customers, that of its contact. */
async function ownersOf(ctx: Context, accountId: string): Promise<string[]> {
  const { db } = inDirectory(ctx);
  const [owners, [contact]] = await Promise.all([
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
    inAccount(ctx, accountId).db.select().from(accountContacts).where(eq(accountContacts.accountId, accountId)),
  ]);
  if (owners.length > 0) return owners.map(({ email }) => email);
  return contact?.contact.email ? [contact.contact.email] : [];
}
