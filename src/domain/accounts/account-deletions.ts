import { and, asc, count, eq, lte, min, sql, sum } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { isBelow } from '../account-tree.ts';
import { forgetSubCustomers, recordAction } from '../audit/record-action.ts';
import { type Context, inAccount } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { invalidField, notFound } from '../errors.ts';
import { countUse } from '../quotas/use.ts';
import { DIRECTORY } from '../shard-map.ts';
import { type AccountDeletion, accountDeletions, accounts } from './table.ts';

/** Lease of a job on a deletion, in milliseconds. After it, the cron sends another job. */
const LEASE_MS = 5 * 60_000;

/** Progress of the deletion of an account. */
export interface DeletionProgress {
  accountId: string;
  /** Accounts with remaining data, sub-customers included. */
  accounts: number;
  /** Rows and files deleted so far. */
  deleted: number;
  startedAt: number;
}

/**
 * Deletes an account and its sub-customers. They can't be used from the next request on; the cron deletes their data.
 * One batch per database, the account's own last, so a retry does the rest. Throws not found, and `invalid` if `name`
 * isn't the account's.
 */
export async function beginDeletion(origin: Context, accountId: string, name: string): Promise<void> {
  const ctx = inAccount(origin, accountId);
  const [account] = await ctx.db.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound();
  if (account.name !== name) throw invalidField('confirm', `must be the name of the account, "${account.name}"`);
  const tree = sql`(with recursive tree(id) as (
    select id from ${accounts} where id = ${accountId} union all
    select below.id from tree join ${accounts} as below on below.parent_account_id = tree.id) select id from tree)`;
  const now = Date.now();
  await forEachDatabase(ctx, async (there, one) => {
    if (one.name !== (ctx.database ?? DIRECTORY))
      await deleteBelow(there, { accountId, above: account.ancestorIds, now });
  });
  const [parentId, ...others] = account.ancestorIds.toReversed();
  const parent = parentId === undefined ? undefined : { id: parentId, ancestorIds: others };
  const deleted = { action: 'account.delete', target: { type: 'account', name } } as const;
  const isPresent = sql`exists (select 1 from ${accounts} where ${eq(accounts.id, accountId)})`;
  const statements: BatchItem<'sqlite'>[] = [
    ...(parent ? [countUse({ ...ctx, account: parent }, 'subCustomers', sql`-(select count(*) from ${tree})`)] : []),
    ctx.db
      .insert(accountDeletions)
      .select(
        sql`select deleted.id, ${accountId}, ${JSON.stringify(account.ancestorIds)}, ${now}, 0, 0, 0, ${now} from ${tree} as deleted where true`,
      )
      .onConflictDoNothing(),
    // The parent's log keeps the account's name. Its own log is deleted with it, and shows until then who requested the
    // deletion.
    ...(parent ? [forgetSubCustomers({ ...ctx, account: parent }, tree)] : []),
    ...[{ id: accountId, ancestorIds: [] }, ...(parent ? [parent] : [])].map((owner) =>
      recordAction({ ...ctx, account: owner }, deleted, isPresent),
    ),
    ctx.db.delete(accounts).where(sql`${accounts.id} in ${tree}`),
  ];
  await ctx.db.batch(statements as [BatchItem<'sqlite'>]);
}

/** Deletes the sub-customers that live in other databases. */
async function deleteBelow(
  { db }: Context,
  { accountId, above, now }: { accountId: string; above: string[]; now: number },
): Promise<void> {
  await db.batch([
    db
      .insert(accountDeletions)
      .select(
        sql`select ${accounts.id}, ${accountId}, ${JSON.stringify(above)}, ${now}, 0, 0, 0, ${now} from ${accounts} where ${isBelow(accountId)}`,
      )
      .onConflictDoNothing(),
    db.delete(accounts).where(isBelow(accountId)),
  ]);
}

/** Returns the progress of an account's deletion; undefined if there is none. */
export async function findDeletion(ctx: Context, accountId: string): Promise<DeletionProgress | undefined> {
  const rows = await forEachDatabase(ctx, async ({ db }) => {
    const [row] = await db
      .select({
        accounts: count(),
        deleted: sum(accountDeletions.deleted).mapWith(Number),
        startedAt: min(accountDeletions.startedAt),
      })
      .from(accountDeletions)
      .where(eq(accountDeletions.rootId, accountId));
    return row?.startedAt == null ? [] : [{ ...row, startedAt: row.startedAt }];
  });
  const parts = rows.flat();
  if (parts.length === 0) return undefined;
  return {
    accountId,
    accounts: parts.reduce((all, part) => all + part.accounts, 0),
    deleted: parts.reduce((all, part) => all + part.deleted, 0),
    startedAt: Math.min(...parts.map(({ startedAt }) => startedAt)),
  };
}

/** Claims a due deletion. `dueAt` is the end of the lease. Undefined if another job holds it or it is finished. */
export async function claimDeletion(ctx: Context, accountId: string, now = Date.now()) {
  const [taken] = await ctx.db
    .update(accountDeletions)
    .set({ dueAt: now + LEASE_MS })
    .where(and(eq(accountDeletions.accountId, accountId), lte(accountDeletions.dueAt, now)))
    .returning();
  return taken;
}

/** Returns the accounts whose deletion is due, oldest first. */
export async function dueDeletions(ctx: Context, limit: number): Promise<string[]> {
  const rows = await ctx.db
    .select({ accountId: accountDeletions.accountId })
    .from(accountDeletions)
    .where(lte(accountDeletions.dueAt, Date.now()))
    .orderBy(asc(accountDeletions.dueAt))
    .limit(limit);
  return rows.map((row) => row.accountId);
}

/** Stores the progress of a claimed deletion and when to continue, unless another job has claimed it since. */
export async function saveDeletion(ctx: Context, claimed: AccountDeletion, dueAt: number): Promise<void> {
  const { step, rounds, deleted } = claimed;
  await ctx.db.update(accountDeletions).set({ step, rounds, deleted, dueAt }).where(isHeld(claimed));
}

/** Ends a claimed deletion after the account's last data is gone, unless another job has claimed it since. */
export async function endDeletion(ctx: Context, claimed: AccountDeletion): Promise<void> {
  await ctx.db.delete(accountDeletions).where(isHeld(claimed));
}

function isHeld({ accountId, dueAt }: AccountDeletion) {
  return and(eq(accountDeletions.accountId, accountId), eq(accountDeletions.dueAt, dueAt));
}
