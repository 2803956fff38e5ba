import { and, eq, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';
import { link, ownWords, safeText, systemMail, trySendMail } from '../messages/system-mail.ts';
import { users } from '../users/table.ts';
import { type OperatorMail, operatorMails } from './table.ts';

/** Mails per run; the next one follows a minute later. */
const MAILS_MAX = 20;
/** A mail that was not sent within this time is tried again. */
const LEASE_MS = 10 * 60_000;
/** A mail that could not be sent for this long is deleted: it is outdated. */
const LIFETIME_MS = 3 * 24 * 3_600_000;

/**
 * Sends due mails to operators. One statement claims the mails, so that only one of two cron runs gets each. A run that
 * dies after the provider's reply sends a mail again, with the same Message-ID. Former operators get none.
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

/** Sends a mail. Returns false if it must be tried again. */
async function send(ctx: Context, { mailId, userId, subject, lines }: OperatorMail, to: string): Promise<boolean> {
  const failure = { event: 'operator-mail-failed', requestId: ctx.requestId, subject };
  try {
    const page = safeText`The state of the service: ${link(`${ctx.baseUrl}/console/service`)}`;
    const content = { subject: ownWords(subject), lines: [...lines.map(ownWords), page] };
    const result = await trySendMail(ctx, systemMail(ctx, to, content), `${mailId}-${userId}`);
    if (result.outcome !== 'sent') logLine('error', { ...failure, error: result.reason });
    return result.outcome !== 'unavailable';
  } catch (error) {
    logLine('error', { ...failure, error: describeError(error) });
    return false;
  }
}

const UNITS = [
  [24 * 3_600_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** Formats a span of time in its largest unit, rounded down: `3 hours`. */
export function shownSpan(millis: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => millis >= size) ?? UNITS[3];
  const count = Math.floor(millis / unitMs);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const BYTES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const;

/** Formats a size in decimal units, as Cloudflare does: `1.2 GB`. */
export function shownBytes(bytes: number): string {
  const [size, unit] = BYTES.find(([one]) => bytes >= one) ?? [1, 'bytes'];
  const digits = size === 1 ? 0 : 1;
  return `${(bytes / size).toFixed(digits).replace(/\.0$/, '')} ${unit}`;
}
