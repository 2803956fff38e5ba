import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { OLD_TOKEN_CHARS as TOKEN_CHARS } from '../../platform/shard-tokens.ts';
import type { Context } from '../context.ts';
import { events } from './table.ts';
import { TOKEN_MARK } from './token-mark.ts';

const PAGE_EVENTS = 500;

/**
 * Takes the tokens of links out of the bodies of stored events, of the next ones behind the key `after`; who sends
 * an event completes its link. Returns the key to go on behind, or null at the end. One round trip.
 */
export async function removeLinkTokens(ctx: Context, after: number): Promise<number | null> {
  const page = sql`(select key from ${events} where key > ${after} order by key limit ${PAGE_EVENTS})`;
  const link = sql`(${events.body} ->> '$.linkToPassPage')`;
  const shortened = sql`substr(${link}, 1, length(${link}) - ${sql.raw(String(TOKEN_CHARS))})`;
  const [, [seen]] = await ctx.db.batch([
    ctx.db
      .update(events)
      .set({ body: sql`json_set(${events.body}, '$.linkToPassPage', ${shortened})` })
      .where(
        sql`${events.key} in ${page} and ${events.passId} is not null
          and ${link} like ${`%/p/${'_'.repeat(TOKEN_CHARS)}`}`,
      ),
    rawStatement<{ last: number | null; rows: number }>(
      ctx.db,
      sql`select max(key) as last, count(*) as rows from ${page}`,
    ),
  ]);
  return seen!.rows < PAGE_EVENTS ? null : seen!.last;
}

/**
 * The statement that takes tokens out of the subjects in events of messages; `tokens` is SQL for a table of `pass_id`
 * and `token`.
 */
export function hideTokensInMessageEvents(ctx: Context, tokens: SQL) {
  const subject = sql`(${events.body} ->> '$.subject')`;
  return ctx.db
    .update(events)
    .set({ body: sql`json_set(${events.body}, '$.subject', replace(${subject}, hidden.token, ${TOKEN_MARK}))` })
    .from(sql`${tokens} as hidden`)
    .where(
      sql`${events.passId} = hidden.pass_id and ${events.type} in ('message_sent', 'message_failed')
        and instr(${subject}, hidden.token) > 0`,
    );
}
