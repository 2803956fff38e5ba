import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { accountOfOlderJob } from './account-of-job.ts';
import { type DeadLetter, deadLetters } from './table.ts';

/** A message that no queue tries any more. */
export interface FailedMessage {
  id: string;
  body: unknown;
}

export type KeptLetter = Pick<DeadLetter, 'id' | 'accountId' | 'type'>;

/** Type of a letter whose body has none. */
const NO_TYPE = 'unknown';

/**
 * Keeps failed messages with their account. Returns those that were not kept before. One round trip and
 * statement for all: a queue's message has at most 128 KB, and the text that D1 takes at most 2 MB, so up to 15
 * messages at once.
 */
export function keepDeadLetters(ctx: Context, failed: FailedMessage[], now = Date.now()): Promise<KeptLetter[]> {
  const letters = JSON.stringify(failed.map(({ id, body }) => ({ id, body: body ?? null })));
  const body = sql`(letter.value -> '$.body')`;
  const type = sql`coalesce(${body} ->> '$.type', ${NO_TYPE})`;
  return ctx.db
    .insert(deadLetters)
    .select(
      // Without a condition, SQLite would take the conflict clause for a join's.
      sql`select letter.value ->> '$.id', coalesce(nullif(${body} ->> '$.accountId', ''), ${accountOfOlderJob(body)}), ${type}, ${body}, ${now}, null
        from json_each(${letters}) as letter where true`,
    )
    .onConflictDoNothing()
    .returning({ id: deadLetters.id, accountId: deadLetters.accountId, type: deadLetters.type });
}
