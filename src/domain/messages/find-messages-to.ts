import { and, eq, gt, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { PHONE_SEPARATORS, plainRecipient } from './recipients.ts';
import { type Message, messages } from './table.ts';

/** Messages that one statement looks through. */
const PAGE_MESSAGES = 20_000;
/** Digits of a number by which the database finds it in any form. */
const LAST_DIGITS = 4;

/**
 * Returns the account's messages to one of the recipients, in any form, oldest first. Looks through all messages that
 * are kept, one round trip per 20,000.
 */
export async function findMessagesTo(ctx: AccountContext, recipients: string[]): Promise<Message[]> {
  const wanted = new Set(recipients.map(plainRecipient));
  if (wanted.size === 0) return [];
  const isLike = isLikeOneOf([...wanted]);
  const found: Message[] = [];
  for (let after = ''; ; ) {
    const isNext = and(eq(messages.accountId, ctx.account.id), gt(messages.id, after))!;
    const last = sql<string | null>`(select max(id) from
      (select ${messages.id} as id from ${messages} where ${isNext} order by ${messages.id} limit ${PAGE_MESSAGES}))`;
    const [[end], page] = await ctx.db.batch([
      ctx.db.select({ last }).from(sql`(select 1)`),
      ctx.db
        .select()
        .from(messages)
        .where(and(isNext, sql`${messages.id} <= ${last}`, isLike))
        .orderBy(messages.id),
    ]);
    found.push(...page.filter(({ recipient }) => wanted.has(plainRecipient(recipient))));
    if (!end?.last) return found;
    after = end.last;
  }
}

/** Builds a condition that all messages to the recipients meet, and few others. */
function isLikeOneOf(wanted: string[]): SQL {
  // SQLite knows the lower case of ASCII only.
  const parts = wanted.map((one) => (one.includes('@') ? one.split(/[^ -~]/).at(-1) : one.slice(-LAST_DIGITS)));
  const bare = PHONE_SEPARATORS.reduce(
    (text, separator) => sql`replace(${text}, ${separator}, '')`,
    sql`${messages.recipient}`,
  );
  return sql`exists (select 1 from json_each(${JSON.stringify(parts)}) as part
    where instr(lower(${messages.recipient}), part.value) or instr(${bare}, part.value))`;
}
