import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { AccountContext, Context } from '../context.ts';
import { invalidField, notFound } from '../errors.ts';
import { messages } from '../messages/table.ts';
import { passes } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { type DeadLetter, deadLetters } from './table.ts';

/** The subject of a letter, which people can open. */
export interface Subject {
  kind: 'message' | 'pass' | 'process' | 'subscription' | 'template';
  id: string;
}

interface Table {
  id: SQLiteColumn;
  accountId: SQLiteColumn;
}

const SUBJECTS: [Subject['kind'], Table, name: SQL][] = [
  ['message', messages, sql`${deadLetters.body} ->> '$.messageId'`],
  ['pass', passes, sql`${deadLetters.body} ->> '$.passId'`],
  // A list counts only if it has one pass.
  [
    'pass',
    passes,
    sql`iif(json_array_length(${deadLetters.body}, '$.passIds') = 1, ${deadLetters.body} ->> '$.passIds[0]', null)`,
  ],
  ['process', processes, sql`${deadLetters.body} ->> '$.processId'`],
  ['subscription', webhookSubscriptions, sql`${deadLetters.body} ->> '$.subscriptionId'`],
  ['template', templates, sql`${deadLetters.body} ->> '$.templateId'`],
];

/** Returns SQL for the `Subject` of a letter; null if it has none, or it is gone. */
function subjectOfLetter() {
  const queries = SUBJECTS.map(
    ([kind, { id, accountId }, name]) =>
      sql`(select json_object('kind', ${kind}, 'id', ${id}) from ${id.table} where ${id} = ${name} and ${accountId} = ${deadLetters.accountId})`,
  );
  return sql<Subject | null>`coalesce(${sql.join(queries, sql`, `)})`.mapWith(
    (json: string): Subject => JSON.parse(json),
  );
}

export interface ShownLetter extends DeadLetter {
  subject: Subject | null;
}

/**
 * Lists the context's letters, newest first; `before` is the `positionOf` the last one of the page before. Throws
 * `invalid` for any other value. One round trip.
 */
export function listDeadLetters(
  ctx: Context | AccountContext,
  { limit, before }: { limit: number; before?: string },
): Promise<ShownLetter[]> {
  return selectLetters(ctx, before === undefined ? undefined : isOlder(before))
    .orderBy(desc(deadLetters.failedAt), desc(deadLetters.id))
    .limit(limit);
}

/** Returns one letter. One round trip; throws not found. */
export async function getDeadLetter(ctx: Context | AccountContext, id: string): Promise<ShownLetter> {
  const [letter] = await selectLetters(ctx, eq(deadLetters.id, id));
  if (!letter) throw notFound();
  return letter;
}

/** Returns the position of a letter in the list. */
export function positionOf({ failedAt, id }: DeadLetter): string {
  return `${failedAt}.${id}`;
}

const POSITION = /^(\d{1,15})\.(.{1,100})$/;

function isOlder(position: string): SQL {
  const [, failedAt, id] = POSITION.exec(position) ?? [];
  if (id === undefined) throw invalidField('before', 'must be the position of a dead letter');
  return sql`(${deadLetters.failedAt}, ${deadLetters.id}) < (${Number(failedAt)}, ${id})`;
}

function selectLetters(ctx: Context | AccountContext, condition: SQL | undefined) {
  return ctx.db
    .select({ ...getTableColumns(deadLetters), subject: subjectOfLetter() })
    .from(deadLetters)
    .where(and(isOwnDeadLetter(ctx), condition))
    .$dynamic();
}

/** Returns the condition for the dead letters that a context may see: those of its account, or all for an operator. */
export function isOwnDeadLetter(ctx: Context | AccountContext): SQL | undefined {
  return 'account' in ctx ? eq(deadLetters.accountId, ctx.account.id) : undefined;
}
