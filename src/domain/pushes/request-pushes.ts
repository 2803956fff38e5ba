import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import { withFollowUps } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import type { FollowUp } from '../enqueue.ts';
import { passes } from '../passes/table.ts';
import { deviceKind, HAND_OVER_LEASE_MS, pushJobs } from './push-jobs.ts';
import { pendingPushes, type Wallet } from './table.ts';

export interface PushRequest {
  /**
   * SQL that selects from `passes`. Each selected pass gets a row per wallet that has it. A pass in no wallet writes
   * nothing.
   */
  selected: SQL;
  /** Source of the selection, to use an index that the planner wouldn't choose; absent: `passes`. */
  from?: SQL;
  /** These passes, if known: their pushes are then just as fast if D1's answer is lost. */
  known?: { passId: string; accountId: string }[];
  /** Claim of the push to devices by an event of the batch (`eventClaim`), if the request is for a single pass. */
  claim?: SQL;
  /** Text for the holder, or SQL for it; absent or null: the pass changed without a message. */
  text?: SQL | string | null;
  wallets?: Wallet[];
  /**
   * Facts for the timeline of each pass, or SQL for them. They are stored with the push (Apple's, if there is one) and
   * added to the timeline with its result. A pass without a row doesn't get them: see `IS_HELD`.
   */
  facts?: SQL | string | null;
}

/** SQL over `passes`: whether a wallet has the pass, so that a requested push finds it. Most passes end here. */
export const IS_HELD = sql`(${passes.numberOfActive} > 0 or ${passes.googlePublishedAt} is not null)`;

/**
 * Builds the statement that requests pushes, for the batch of the change; returns the passes and wallets found. It
 * updates a pending request, whose job then notices a newer one than it sent. An unsent text stays unless there is a
 * newer one.
 */
export function requestPushes(ctx: Context, request: PushRequest) {
  const {
    selected,
    from = sql`${passes}`,
    known = [],
    claim = sql`null`,
    text = null,
    wallets = ['apple', 'google'],
    facts = null,
  } = request;
  const now = Date.now();
  const wallet = sql.raw('wallet.value');
  const isInWallet = sql`iif(${wallet} = 'apple', ${passes.numberOfActive} > 0, ${passes.googlePublishedAt} is not null)`;
  const factsOfRow =
    facts === null ? sql`null` : sql`iif(${wallet} = 'apple' or ${passes.numberOfActive} = 0, ${facts}, null)`;
  const claimOfRow = sql`iif(${wallet} = 'apple', ${claim}, null)`;
  const insert = insertPending(
    ctx,
    sql`select ${passes.id}, ${wallet}, ${passes.accountId}, ${text}, ${now}, ${now + HAND_OVER_LEASE_MS},
        ${claimOfRow}, iif(${claimOfRow} is null, 0, 1), ${factsOfRow}
      from ${from} cross join json_each(${JSON.stringify(wallets)}) as wallet
      where ${IS_HELD} and ${selected} and ${isInWallet}`,
  );
  const rows = known.flatMap((pass) => wallets.map((one) => ({ ...pass, wallet: one })));
  const statement = insert
    .onConflictDoUpdate(UPSERT)
    .returning({ ...PUSH_COLUMNS, isOfEvent: isNotNull(pendingPushes.claim) });
  return withFollowUps(statement, (found) => pushJobs(found.filter(({ isOfEvent }) => !isOfEvent)), pushJobs(rows));
}

function insertPending(ctx: Context, select: SQL) {
  return ctx.db.insert(pendingPushes).select(select);
}

const UPSERT = {
  target: [pendingPushes.passId, pendingPushes.wallet],
  set: {
    text: sql`coalesce(excluded.text, ${pendingPushes.text})`,
    requestedAt: sql`excluded.requested_at`,
    dueAt: sql`excluded.due_at`,
    claim: sql`excluded.claim`,
    attempts: sql`excluded.attempts`,
    facts: sql`coalesce(${pendingPushes.facts} || ',' || excluded.facts, ${pendingPushes.facts}, excluded.facts)`,
  },
};

const PUSH_COLUMNS = { passId: pendingPushes.passId, accountId: pendingPushes.accountId, wallet: pendingPushes.wallet };

/**
 * Builds the statement that requests the first object at Google for those of the selected passes (SQL over `passes`)
 * that have none from this service. A pending request is left unchanged.
 */
export function requestPublications(ctx: Context, selected: SQL) {
  const now = Date.now();
  const insert = insertPending(
    ctx,
    sql`select ${passes.id}, 'publication', ${passes.accountId}, null, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0, null
      from ${passes} where ${selected} and coalesce(${passes.googlePublishedAt}, 0) = 0`,
  );
  return withFollowUps(insert.onConflictDoNothing().returning(PUSH_COLUMNS), pushJobs);
}

/** A device that is registered for a pass. */
interface RegisteredDevice {
  passId: string;
  deviceId: string;
  passTypeId: string;
}

/** Builds the statement that requests a push to one device with a pass of the account, if `applies` holds. */
export function requestDevicePush(ctx: AccountContext, device: RegisteredDevice, applies: SQL) {
  const now = Date.now();
  const insert = insertPending(
    ctx,
    sql`select ${device.passId}, ${deviceKind(device)}, ${ctx.account.id}, null, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0, null
      where ${applies}`,
  );
  const isOwn = eq(pendingPushes.accountId, ctx.account.id);
  return withFollowUps(insert.onConflictDoUpdate({ ...UPSERT, setWhere: isOwn }).returning(PUSH_COLUMNS), pushJobs);
}

/** Returns the job of a pending push to one device: for a caller that lost the answer to its request. */
export async function jobsOfDevicePush(ctx: AccountContext, device: RegisteredDevice): Promise<FollowUp[]> {
  const { passId, accountId, wallet } = pendingPushes;
  const isIt = and(eq(passId, device.passId), eq(wallet, deviceKind(device)), eq(accountId, ctx.account.id));
  return pushJobs(await ctx.db.select(PUSH_COLUMNS).from(pendingPushes).where(isIt));
}
