import { eq, type SQL, sql } from 'drizzle-orm';
import { asking } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import { passes } from '../passes/table.ts';
import { HAND_OVER_LEASE_MS } from './leases.ts';
import { deviceKind, pushJobs } from './push-jobs.ts';
import { pendingPushes, type Wallet } from './table.ts';

export interface PushRequest {
  /**
   * SQL that selects from `passes`. Of these, each gets a row for a wallet that has it; for a pass that none has,
   * nothing is written.
   */
  selected: SQL;
  /** Where they are selected from, with another index than the planner would choose; absent: `passes`. */
  from?: SQL;
  /** These passes, where they are known: their pushes are as quick if D1 loses its answer. */
  known?: { passId: string; accountId: string }[];
  /** Text for the holder, or SQL for it; absent or null: the pass has changed, without a word. */
  text?: SQL | string | null;
  wallets?: Wallet[];
  /**
   * Facts for the timeline of each pass, or SQL for them: they wait in its row, for Apple if it has one, and go into
   * the timeline with the answer. A pass without a row has them not: see `IS_HELD`.
   */
  facts?: SQL | string | null;
}

/** SQL over `passes`: whether a wallet has the pass, so that a request of a push finds it. Most passes end here. */
export const IS_HELD = sql`(${passes.numberOfActive} > 0 or ${passes.googlePublishedAt} is not null)`;

/**
 * The statement that asks for pushes, for the batch of the change; returns the passes and wallets that it found. A
 * request that still waits is taken over: whoever works on it finds it newer than what was sent, and a text that has
 * not left yet stays unless there is a newer one.
 */
export function requestPushes(ctx: Context, request: PushRequest) {
  const {
    selected,
    from = sql`${passes}`,
    known = [],
    text = null,
    wallets = ['apple', 'google'],
    facts = null,
  } = request;
  const now = Date.now();
  const wallet = sql.raw('wallet.value');
  const hasIt = sql`iif(${wallet} = 'apple', ${passes.numberOfActive} > 0, ${passes.googlePublishedAt} is not null)`;
  const factsOfRow =
    facts === null ? sql`null` : sql`iif(${wallet} = 'apple' or ${passes.numberOfActive} = 0, ${facts}, null)`;
  const insert = insertPending(
    ctx,
    sql`select ${passes.id}, ${wallet}, ${passes.accountId}, ${text}, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0, ${factsOfRow}
      from ${from} cross join json_each(${JSON.stringify(wallets)}) as wallet
      where ${IS_HELD} and ${selected} and ${hasIt}`,
  );
  const rows = known.flatMap((pass) => wallets.map((one) => ({ ...pass, wallet: one })));
  return asking(insert.onConflictDoUpdate(TAKE_OVER).returning(ASKED), pushJobs, pushJobs(rows));
}

function insertPending(ctx: Context, select: SQL) {
  return ctx.db.insert(pendingPushes).select(select);
}

const TAKE_OVER = {
  target: [pendingPushes.passId, pendingPushes.wallet],
  set: {
    text: sql`coalesce(excluded.text, ${pendingPushes.text})`,
    requestedAt: sql`excluded.requested_at`,
    dueAt: sql`excluded.due_at`,
    claim: null,
    attempts: 0,
    facts: sql`coalesce(${pendingPushes.facts} || ',' || excluded.facts, ${pendingPushes.facts}, excluded.facts)`,
  },
};

const ASKED = { passId: pendingPushes.passId, accountId: pendingPushes.accountId, wallet: pendingPushes.wallet };

/**
 * The statement that asks for the first object at Google of those of the selected passes (SQL over `passes`) that
 * Google has not got from us; one that was asked for and still waits is left as it is.
 */
export function requestPublications(ctx: Context, selected: SQL) {
  const now = Date.now();
  const insert = insertPending(
    ctx,
    sql`select ${passes.id}, 'publication', ${passes.accountId}, null, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0, null
      from ${passes} where ${selected} and coalesce(${passes.googlePublishedAt}, 0) = 0`,
  );
  return asking(insert.onConflictDoNothing().returning(ASKED), pushJobs);
}

/** A device that is registered for a pass. */
interface RegisteredDevice {
  passId: string;
  deviceId: string;
  passTypeId: string;
}

/** The statement that asks for a push to one device of a pass of the account if `applies` holds. */
export function requestDevicePush(ctx: AccountContext, device: RegisteredDevice, applies: SQL) {
  const now = Date.now();
  const insert = insertPending(
    ctx,
    sql`select ${device.passId}, ${deviceKind(device)}, ${ctx.account.id}, null, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0, null
      where ${applies}`,
  );
  const isOwn = eq(pendingPushes.accountId, ctx.account.id);
  return asking(insert.onConflictDoUpdate({ ...TAKE_OVER, setWhere: isOwn }).returning(ASKED), pushJobs);
}
