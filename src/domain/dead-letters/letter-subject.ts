import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { messages } from '../messages/table.ts';
import { passes } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { deadLetters } from './table.ts';

/** What a letter is about, if people can look at it. */
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
  // A list is a subject when it is of one.
  [
    'pass',
    passes,
    sql`iif(json_array_length(${deadLetters.body}, '$.passIds') = 1, ${deadLetters.body} ->> '$.passIds[0]', null)`,
  ],
  ['process', processes, sql`${deadLetters.body} ->> '$.processId'`],
  ['subscription', webhookSubscriptions, sql`${deadLetters.body} ->> '$.subscriptionId'`],
  ['template', templates, sql`${deadLetters.body} ->> '$.templateId'`],
];

/** SQL for the `Subject` of a letter, or null: it has none, or that is gone. */
export function subjectOfLetter() {
  const queries = SUBJECTS.map(
    ([kind, { id, accountId }, name]) =>
      sql`(select json_object('kind', ${kind}, 'id', ${id}) from ${id.table} where ${id} = ${name} and ${accountId} = ${deadLetters.accountId})`,
  );
  return sql<Subject | null>`coalesce(${sql.join(queries, sql`, `)})`.mapWith(
    (json: string): Subject => JSON.parse(json),
  );
}
