import { sql } from 'drizzle-orm';
import { events } from './table.ts';

const first = sql.raw('select account_id from account_events');

/**
 * SQL for `with recursive`: a table `owners` of the accounts with events, in a column `owner`, followed by a null.
 * Events are stored by account, so it skips from one to the next and reads two rows per account.
 */
export const OWNERS = sql`owners(owner) as (select * from (${first} order by account_id limit 1) union all
  select (${first} where account_id > owners.owner order by account_id limit 1) from owners where owners.owner is not null)`;

/** Builds the SQL of the first event identifier of an owner after another one. */
export function nextEvent(after: string) {
  return sql`(select min(id) from ${events} where account_id = owner and id > ${after})`;
}
