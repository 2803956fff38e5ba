import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { TOKEN_MARK } from '../events/token-mark.ts';
import { messages } from './table.ts';

/**
 * Builds the statement that removes tokens of links from stored subjects; `tokens` is SQL for a table of `pass_id` and
 * `token`.
 */
export function hideTokensInSubjects(ctx: Context, tokens: SQL) {
  return ctx.db
    .update(messages)
    .set({ subject: sql`replace(${messages.subject}, hidden.token, ${TOKEN_MARK})` })
    .from(sql`${tokens} as hidden`)
    .where(sql`${messages.passId} = hidden.pass_id and instr(${messages.subject}, hidden.token) > 0`);
}
