import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { OLD_TOKEN_CHARS as TOKEN_CHARS } from '../../platform/shard-tokens.ts';
import type { Context } from '../context.ts';
import { earlierEvents } from './table.ts';
import { TOKEN_MARK } from './token-mark.ts';

const PAGE_EVENTS = 500;

const linkIn = (body: SQL) => sql`(${body} ->> '$.linkToPassPage')`;
const hasToken = (body: SQL) => sql`${linkIn(body)} like ${`%/p/${'_'.repeat(TOKEN_CHARS)}`}`;

/** Builds the SQL of the body of an event of a release before 0.2.0 without the token of its link. */
export function withoutLinkToken(body: SQL, passId: SQL): SQL {
  const link = linkIn(body);
  const shortened = sql`substr(${link}, 1, length(${link}) - ${sql.raw(String(TOKEN_CHARS))})`;
  return sql`iif(${passId} is not null and ${hasToken(body)}, json_set(${body}, '$.linkToPassPage', ${shortened}), ${body})`;
}

/**
 * Removes the link tokens from the bodies of the next stored events after the key `after`; sending an event completes
 * its link. Returns the key to continue after, or null at the end. One round trip.
 */
export async function removeLinkTokens(ctx: Context, after: number): Promise<number | null> {
  const page = sql`(select key from ${earlierEvents} where key > ${after} order by key limit ${PAGE_EVENTS})`;
  const [, [seen]] = await ctx.db.batch([
    ctx.db
      .update(earlierEvents)
      .set({ body: withoutLinkToken(sql`${earlierEvents.body}`, sql`${earlierEvents.passId}`) })
      .where(
        sql`${earlierEvents.key} in ${page} and ${earlierEvents.passId} is not null and ${hasToken(sql`${earlierEvents.body}`)}`,
      ),
    rawStatement<{ last: number | null; rows: number }>(
      ctx.db,
      sql`select max(key) as last, count(*) as rows from ${page}`,
    ),
  ]);
  return seen!.rows < PAGE_EVENTS ? null : seen!.last;
}

/**
 * Builds the statement that removes tokens from the subjects in message events; `tokens` is SQL for a table of
 * `pass_id` and `token`.
 */
export function hideTokensInMessageEvents(ctx: Context, tokens: SQL) {
  const subject = sql`(${earlierEvents.body} ->> '$.subject')`;
  return ctx.db
    .update(earlierEvents)
    .set({ body: sql`json_set(${earlierEvents.body}, '$.subject', replace(${subject}, hidden.token, ${TOKEN_MARK}))` })
    .from(sql`${tokens} as hidden`)
    .where(
      sql`${earlierEvents.passId} = hidden.pass_id and ${earlierEvents.type} in ('message_sent', 'message_failed')
        and instr(${subject}, hidden.token) > 0`,
    );
}
