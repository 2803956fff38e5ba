import type { Recorded, RequestName, RequestTemplates } from './record-requests.ts';
import { columnsOf } from './seed.ts';

/*
 * The ideal: the floor with the best possible statements, in one batch. A read finds one row by primary key, which also
 * has the data for checking the API key. A create writes one row and one index entry.
 */

/** Kinds of requests compared with the ideal. */
export const IDEAL_REQUESTS = ['read_v1', 'read_v3', 'create_async', 'create_sync'] as const satisfies RequestName[];

/** Columns for checking an API key. */
const CALLER = 'api_key_id, secret_digest, active, expires_at';

/**
 * Creates the ideal's tables, with the passes to read (by their identifiers), and returns its requests: the floor's,
 * with other statements.
 */
export async function idealRequests(
  database: D1Database,
  { requests, stored }: Recorded,
  { apiKey, templateName, readIds }: { apiKey: string; templateName: string; readIds: string[] },
): Promise<RequestTemplates> {
  const columns = await columnsOf(database, 'passes');
  const lookup = apiKey.slice(3, 19);
  const key = `select id as api_key_id, secret_digest, active, expires_at from api_keys where lookup = '${lookup}'`;
  const statements = [
    ...['ideal_keys', 'ideal_reads', 'ideal_creates'].map((table) => `drop table if exists ${table}`),
    `create table ideal_keys (lookup primary key, ${CALLER}) without rowid`,
    `insert into ideal_keys select '${lookup}', api_key_id, secret_digest, active, expires_at from (${key})`,
    `create table ideal_reads (${columns}, name, ${CALLER}, primary key (id)) without rowid`,
    `create table ideal_creates (id primary key, user_provided_id, pass) without rowid`,
    'create index ideal_creates_by_name on ideal_creates (user_provided_id)',
  ];
  await database.batch(statements.map((sql) => database.prepare(sql)));
  await database
    .prepare(
      `insert into ideal_reads select passes.*, ?, caller.* from passes, (${key}) as caller
       where passes.id in (select value from json_each(?))`,
    )
    .bind(templateName, JSON.stringify(readIds))
    .run();
  const read = [{ sql: 'select * from ideal_reads where id = ?', operands: [{ value: 'id' }] }];
  const create = [
    { sql: 'select * from ideal_keys where lookup = ?', operands: [{ is: lookup }] },
    {
      sql: 'insert into ideal_creates (id, user_provided_id, pass) values (?, ?, ?)',
      operands: [{ value: 'id' }, { value: 'userProvidedId' }, { text: stored }],
    },
  ];
  const ideal = { ...requests };
  for (const name of IDEAL_REQUESTS) {
    ideal[name] = { ...requests[name], roundTrips: [name.startsWith('read') ? read : create] };
  }
  return ideal;
}
