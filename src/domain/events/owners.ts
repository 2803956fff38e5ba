import { sql } from 'drizzle-orm';
import { events } from './table.ts';

const first = sql.raw('select account_id from account_events');

/**
 * SQL for `with recursive`: a table `owners` of the accounts that have events, in a column `owner`, and a null. Events
 * are stored by account; it reads two rows an account, by leaps.
 */
export const OWNERS = sql`owners(owner) as (select * from (${first} order by account_id limit 1) union all
  select (${first} where account_id > owners.owner order by account_id limit 1) from owners where owners.owner is not null)`;

/** SQL for the identifier of the first event of an owner that is behind another one. */
export function nextEvent(after: string) {
  return sql`(select min(id) from ${events} where account_id = owner and id > ${after})`;
}
