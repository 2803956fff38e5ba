import { d1, d1Together, eventually } from './control.ts';
import { NOBODYS, tenantTables } from './tenant-tables.ts';

/** Columns that change without a request: through the clock, the queue, and uses of a key. */
const RESTLESS = new Set([
  'last_used_at',
  'mirrored_at',
  'due_at',
  'next_attempt_at',
  'attempt_count',
  'attempts',
  'last_attempt_at',
  'last_outcome',
  'failing_since_at',
  'delivered',
  'failed',
  'lag_millis',
  'uncounted',
  'counted_until_id',
  'claim',
]);
/** Maintained by the cron, or temporary. */
const RESTLESS_TABLES = new Set(['hourly_counts', 'requested_pushes', 'push_fan_outs', 'push_pages', 'applied_items']);

/** Returns every row of an account, by table, in a fixed order and without values that change by themselves. */
export async function rowsOfAccount(accountId: string): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = tenantTables();
  const theirs = [...tables.values()].filter(({ name }) => !(name in NOBODYS) && !RESTLESS_TABLES.has(name));
  const conditions = theirs.flatMap(({ name, columns, references }) => {
    const known = columns.has('account_id')
      ? 'account_id = ?1'
      : (CONDITIONS[name] ?? ownedThrough(tables, references, columns));
    return known === undefined ? [] : [{ name, condition: known }];
  });
  const statements = conditions.map(({ name, condition }) => `select * from ${name} where ${condition}`);
  const rows = await d1Together(statements, { accountId });
  const sorted = rows.map((of) => of.map(atRest).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)));
  return Object.fromEntries(conditions.map(({ name }, i) => [name, sorted[i]!]));
}

/**
 * Waits until an account's processes and messages in progress have ended, and each event had its first attempt: the
 * last one of a subscription without retries ends its delivery.
 */
export async function untilAtRest(accountId: string): Promise<void> {
  await eventually(async () => {
    const open = await d1(
      `select id from processes where account_id = ?1 and finished_at is null
       union all select id from messages where account_id = ?1 and status in ('queued', 'sending')
       union all select pass_id from requested_pushes where account_id = ?1
       union all select id from account_events where account_id = ?1 and pending is not null
       union all select event_id from webhook_subscriptions as subscription
         join event_deliveries on subscription_id = subscription.id and state = 'waiting' and attempt_count = 0
         where account_id = ?1 and status = 'active'`,
      [accountId],
    );
    return open.length === 0;
  });
}

const CONDITIONS: Record<string, string> = {
  accounts: 'id = ?1 or parent_account_id = ?1',
  users: 'id in (select user_id from memberships where account_id = ?1)',
  sessions: 'user_id in (select user_id from memberships where account_id = ?1)',
  sign_in_tokens: 'user_id in (select user_id from memberships where account_id = ?1)',
  pass_documents: 'key in (select key from passes where account_id = ?1)',
  // Words can be queried, but not read.
  pass_terms: 'false and ?1',
};

/** Selects rows through a table that has the account. */
function ownedThrough(
  tables: ReturnType<typeof tenantTables>,
  references: Map<string, string>,
  columns: Set<string>,
): string | undefined {
  for (const [column, named] of references) {
    if (columns.has(column) && tables.get(named)?.columns.has('account_id')) {
      return `${column} in (select id from ${named} where account_id = ?1)`;
    }
  }
  return undefined;
}

function atRest(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !RESTLESS.has(name)));
}
