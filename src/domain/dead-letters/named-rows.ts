import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appConfigurations } from '../app-configurations/table.ts';
import { events } from '../events/table.ts';
import { messages } from '../messages/table.ts';
import { notifications } from '../notifications/table.ts';
import { passes, passTombstones } from '../passes/table.ts';
import { processes } from '../processes/table.ts';
import { pushFanOuts } from '../pushes/table.ts';
import { templateDeletions, templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';
import { type DeadJob, deadLetters } from './table.ts';

/** Members of jobs that name no row by themselves. */
type Detail = 'type' | 'first' | 'last' | 'page' | 'deviceId' | 'passTypeId';
type MemberOf<J> = J extends unknown ? Exclude<keyof J, Detail> : never;
/** Members by which jobs name what they work on, alone or as a list of one account. */
type NamingMember = MemberOf<DeadJob>;

interface Named {
  id: SQLiteColumn;
  accountId: SQLiteColumn;
}

/** A deleted pass has left a tombstone if a wallet had it, and the event of its end for as long as events are kept. */
const PASSES: Named[] = [
  passes,
  { id: passTombstones.passId, accountId: passTombstones.accountId },
  { id: events.passId, accountId: events.accountId },
];

/** Where the account of a named row stands; the first place that knows it counts. */
const PLACES: Record<NamingMember, Named[]> = {
  // Deleted with its account, so it is nobody's: an operator looks after it.
  accountId: [],
  configurationId: [appConfigurations],
  // The fan-out of a notification has the notification's identifier, and ends before it.
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
 * SQL for the account of what a job names, null when all of that is gone; `body` is SQL for the job as JSON. Reads no
 * other rows than those it names.
 */
export function accountOfJob(body: SQL): SQL {
  const queries = Object.entries(PLACES).flatMap(([member, places]) =>
    // Of a text, json_each makes one row.
    places.map(({ id, accountId }) => {
      const names = sql`select named.value from json_each(${body}, ${sql.raw(`'$.${member}'`)}) as named`;
      return sql`(select ${accountId} from ${id.table} where ${id} in (${names}) limit 1)`;
    }),
  );
  return sql`coalesce(${sql.join(queries, sql`, `)})`;
}

/** What a letter is about, if people can look at it. */
export interface Subject {
  kind: 'message' | 'pass' | 'process' | 'subscription' | 'template';
  id: string;
}

const SUBJECTS: [Subject['kind'], Named, name: SQL][] = [
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
