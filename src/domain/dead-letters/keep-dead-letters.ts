import { lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { rawStatement } from '../../platform/raw-statement.ts';
import { appConfigurations } from '../app-configurations/table.ts';
import type { Context } from '../context.ts';
import { earlierEvents } from '../events/table.ts';
import type { DeliveryJob, Job } from '../jobs.ts';
import { messages } from '../messages/table.ts';
import { notifications } from '../notifications/table.ts';
import { passes, passTombstones } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { purge } from '../purge.ts';
import { pushFanOuts } from '../pushes/table.ts';
import { templateDeletions, templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { type DeadJob, type DeadLetter, deadLetters } from './table.ts';

/** A message that ran out of attempts. */
interface FailedMessage {
  id: string;
  body: unknown;
}

type KeptLetter = Pick<DeadLetter, 'id' | 'accountId' | 'type'>;

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

/** Days that a failed job can be retried. */
export const DEAD_LETTER_RETENTION_DAYS = 30;

const DAY_MS = 24 * 3_600_000;

/** Cron task: deletes jobs that failed longer ago than the retention. If none did, it reads no rows. */
export async function purgeDeadLetters(ctx: Context, now = Date.now()): Promise<void> {
  await purge(ctx, deadLetters, lt(deadLetters.failedAt, now - DEAD_LETTER_RETENTION_DAYS * DAY_MS));
}

/*
 * Jobs of releases before 0.3 don't name their account. Queues keep them for up to four days, and failed jobs stay for
 * thirty. Two releases later, this file can go.
 */

/** Members of jobs that don't identify a row on their own. */
type Detail = 'type' | 'first' | 'last' | 'page' | 'deviceId' | 'passTypeId';
type MemberOf<J> = J extends unknown ? Exclude<keyof J, Detail | 'accountId'> : never;
/** Members of jobs that identify what they work on: one row, or several rows of one account. */
type NamingMember = MemberOf<DeadJob>;

interface Named {
  id: SQLiteColumn;
  accountId: SQLiteColumn;
}

/** A deleted pass leaves a tombstone if a wallet had it, and its deletion event for as long as events are kept. */
const PASSES: Named[] = [
  passes,
  { id: passTombstones.passId, accountId: passTombstones.accountId },
  { id: earlierEvents.passId, accountId: earlierEvents.accountId },
];

/** Tables that give the account of a named row; the first one with the row counts. */
const PLACES: Record<NamingMember, Named[]> = {
  configurationId: [appConfigurations],
  // The fan-out of a notification has the notification's identifier, and is deleted before it.
  fanOutId: [pushFanOuts, notifications],
  messageId: [messages],
  notificationId: [notifications],
  passId: PASSES,
  passIds: PASSES,
  processId: [processes],
  subscriptionId: [webhookSubscriptions],
  templateId: [templates, { id: templateDeletions.templateId, accountId: templateDeletions.accountId }],
};

/**
 * Returns SQL for the account of the rows that a job names, null if all are gone; `body` is SQL for the job as JSON.
 * Reads only the named rows.
 */
function accountOfOlderJob(body: SQL): SQL {
  const queries = Object.entries(PLACES).flatMap(([member, places]) =>
    // For a text, json_each returns one row.
    places.map(({ id, accountId }) => {
      const names = sql`select named.value from json_each(${body}, ${sql.raw(`'$.${member}'`)}) as named`;
      return sql`(select ${accountId} from ${id.table} where ${id} in (${names}) limit 1)`;
    }),
  );
  return sql`coalesce(${sql.join(queries, sql`, `)})`;
}

/** Returns a job with its account, empty if its rows are gone. One round trip for a job of an older release. */
export async function withAccount<J extends Job | DeliveryJob>(ctx: Context, job: J): Promise<J> {
  if (!job || job.accountId !== undefined) return job;
  const body = sql`${JSON.stringify(job)}`;
  const [row] = await rawStatement<{ accountId: string | null }>(
    ctx.db,
    sql`select ${accountOfOlderJob(body)} as "accountId"`,
  );
  return { ...job, accountId: row?.accountId ?? '' };
}
