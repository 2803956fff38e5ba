import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { accountOfOlderJob } from './account-of-job.ts';
import { type DeadLetter, deadLetters } from './table.ts';

/** A message that ran out of attempts. */
export interface FailedMessage {
  id: string;
  body: unknown;
}

export type KeptLetter = Pick<DeadLetter, 'id' | 'accountId' | 'type'>;

/** Type of a letter whose body has none. */
const NO_TYPE = 'unknown';

/**
 * Stores failed messages with their account. Returns those that were not stored before. One round trip and statement
 * for all: a queue message has at most 128 KB, and D1 takes a text of at most 2 MB, so up to 15 messages at once.
 */
export function keepDeadLetters(ctx: Context, failed: FailedMessage[], now = Date.now()): Promise<KeptLetter[]> {
  const letters = JSON.stringify(failed.map(({ id, body }) => ({ id, body: body ?? null })));
  const body = sql`(letter.value -> '$.body')`;
  const type = sql`coalesce(${body} ->> '$.type', ${NO_TYPE})`;
  return ctx.db
    .insert(deadLetters)
    .select(
      // Without a condition, SQLite would parse the conflict clause as part of a join.
      sql`select letter.value ->> '$.id', coalesce(nullif(${body} ->> '$.accountId', ''), ${accountOfOlderJob(body)}), ${type}, ${body}, ${now}, null
        from json_each(${letters}) as letter where true`,
    )
    .onConflictDoNothing()
    .returning({ id: deadLetters.id, accountId: deadLetters.accountId, type: deadLetters.type });
}
