import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid } from '../errors.ts';
import { memberships } from './table.ts';

/**
 * SQL that holds when somebody else than this user owns the account: in the very statement that changes a member, so
 * that of two owners who leave at once one stays.
 */
export function anotherOwner(ctx: AccountContext, userId: SQL | string): SQL {
  return sql`exists (select 1 from ${memberships} as other, json_each(other.privileges) as privilege
    where other.account_id = ${ctx.account.id} and other.user_id <> ${userId} and privilege.value = 'owner')`;
}

export function lastOwner(): DomainError {
  return invalid('An account needs an owner; make another member an owner first');
}
