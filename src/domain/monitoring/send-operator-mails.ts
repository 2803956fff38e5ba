import { and, eq, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm';
import { escapeHtml } from '../../platform/html.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { trySendMail } from '../messages/send-mail.ts';
import { users } from '../users/table.ts';
import { type OperatorMail, operatorMails } from './table.ts';

/** Mails of one run, a minute before the next. */
const MAILS_MAX = 20;
/** Time within which a mail must have left; then it is tried again. */
const LEASE_MS = 10 * 60_000;
/** A mail that cannot be sent for so long is old news. */
const LIFETIME_MS = 3 * 24 * 3_600_000;

/**
 * Sends what is due to operators. One statement takes the mails, so of two crons at once one gets each. A run that dies
 * behind the provider's answer sends a mail again, under the same Message-ID. Who is no operator any more gets none.
 */
export async function sendOperatorMails(ctx: Context, now = Date.now()): Promise<void> {
  const due = sql`rowid in (select rowid from ${operatorMails} where ${lte(operatorMails.dueAt, now)}
    order by ${operatorMails.dueAt} limit ${MAILS_MAX})`;
  const [, taken, operators] = await ctx.db.batch([
    ctx.db
      .delete(operatorMails)
      .where(and(lte(operatorMails.dueAt, now), lt(operatorMails.createdAt, now - LIFETIME_MS))),
    ctx.db
      .update(operatorMails)
      .set({ dueAt: now + LEASE_MS })
      .where(due)
      .returning(),
    ctx.db
      .select({ id: users.id, email: users.email })
      .from(users)
      .where(
        and(
          isNotNull(users.operatorSince),
          inArray(
            users.id,
            sql`(select user_id from ${operatorMails} where ${eq(operatorMails.dueAt, now + LEASE_MS)})`,
          ),
        ),
      ),
  ]);
  const addresses = new Map(operators.map(({ id, email }) => [id, email]));
  for (const mail of taken) {
    const to = addresses.get(mail.userId);
    if (to !== undefined && !(await send(ctx, mail, to))) continue;
    await ctx.db
      .delete(operatorMails)
      .where(and(eq(operatorMails.mailId, mail.mailId), eq(operatorMails.userId, mail.userId)));
  }
}

/** Whether a mail is done with: one that the provider can't take now is tried again. */
async function send(ctx: Context, { mailId, userId, subject, lines }: OperatorMail, to: string): Promise<boolean> {
  const failure = { event: 'operator-mail-failed', requestId: ctx.requestId, subject };
  const text = lines.join('\n\n');
  const html = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  try {
    const result = await trySendMail(ctx, { to, subject, text, html }, `${mailId}-${userId}`);
    if (result.outcome !== 'sent') logLine('error', { ...failure, error: result.reason });
    return result.outcome !== 'unavailable';
  } catch (error) {
    logLine('error', { ...failure, error: describeError(error) });
    return false;
  }
}
