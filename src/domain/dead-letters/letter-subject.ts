import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { messages } from '../messages/table.ts';
import { passes } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { deadLetters } from './table.ts';

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
export function subjectOfLetter() {
  const queries = SUBJECTS.map(
    ([kind, { id, accountId }, name]) =>
      sql`(select json_object('kind', ${kind}, 'id', ${id}) from ${id.table} where ${id} = ${name} and ${accountId} = ${deadLetters.accountId})`,
  );
  return sql<Subject | null>`coalesce(${sql.join(queries, sql`, `)})`.mapWith(
    (json: string): Subject => JSON.parse(json),
  );
}
