import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { subCustomersOf } from './set-quotas.ts';
import { accountQuotas } from './table.ts';
import { lineageOf, QUOTA_DEFAULTS } from './use.ts';

/**
 * The statement that begins to count the sub-customers of an account, and of those above it, where that has not begun;
 * it stands before the one that asks whether there is room.
 */
export function beginCountingSubCustomers(ctx: AccountContext) {
  const line = sql.raw('line.value');
  const isCounted = sql`exists (select 1 from ${accountQuotas} where account_id = ${line} and quota = 'subCustomers')`;
  return rawStatement(
    ctx.db,
    sql`insert into ${accountQuotas} (account_id, quota, max, used, period_ends_at, told_percent, tell_at)
      select ${line}, 'subCustomers', ${QUOTA_DEFAULTS.subCustomers}, ${subCustomersOf(line)}, null, 0, null
      from json_each(${JSON.stringify(lineageOf(ctx.account))}) as line where not ${isCounted}`,
  );
}
