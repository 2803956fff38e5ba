import { and, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { slicesOf } from '../../platform/chunks.ts';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { commit, withFollowUps } from '../commit.ts';
import type { AccountContext, Context } from '../context.ts';
import type { Job } from '../jobs.ts';
import { passes } from '../passes/table.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { HAND_OVER_LEASE_MS, PAGE_PASSES } from './push-jobs.ts';
import { type FanOutKind, type PushFanOut, type PushPage, pushFanOuts, pushPages } from './table.ts';

/** A new fan-out. Its SQL refers to the rows of its source. */
interface NewFanOut {
  id: string;
  accountId: string | SQL;
  kind: FanOutKind;
  templateId: string | SQL | null;
  text: string | SQL | null;
  version: number | null;
  versionBefore?: SQL;
  /** Whether more pages are to be created. */
  isOpen: boolean;
}

/**
 * Builds the statement that begins a fan-out for the selected rows of `source` and returns it, for the batch of the
 * change that causes it. An existing fan-out is left unchanged.
 */
export function beginFanOut(ctx: Context, content: NewFanOut, source: SQL = sql`where true`) {
  const now = Date.now();
  const { id, accountId, kind, templateId, text, version, versionBefore, isOpen } = content;
  const row = { id, accountId: '', kind, version, cursor: 0, createdAt: now };
  const values = rowValues(
    pushFanOuts,
    { ...row, dueAt: isOpen ? now + HAND_OVER_LEASE_MS : null },
    { accountId: sql`${accountId}`, templateId: sql`${templateId}`, text: sql`${text}`, versionBefore },
  );
  const statement = ctx.db
    .insert(pushFanOuts)
    .select(sql`select ${values} ${source}`)
    .onConflictDoNothing()
    .returning({ id: pushFanOuts.id, accountId: pushFanOuts.accountId });
  const known = isOpen && typeof accountId === 'string' ? fanOutJobs([{ id, accountId }]) : [];
  return withFollowUps(statement, (begun) => (isOpen ? fanOutJobs(begun) : []), known);
}

/**
 * Builds the statements that notify all wallets with passes of a template about a published version. They precede the
 * statement that publishes it, and return the fan-outs that they begin. They do nothing if that or a later version is
 * already published, or no wallet has a pass.
 */
export function beginPublicationFanOuts(ctx: Context, accountId: string, templateId: string, version: number) {
  const isPending = and(isOwnTemplate(accountId, templateId), sql`${templates.publishedVersion} < ${version}`)!;
  const versionBefore = sql`${templates.publishedVersion}`;
  return beginTemplateFanOuts(ctx, { accountId, templateId, version, versionBefore }, isPending);
}

/** Builds the statements that make all wallets fetch a template's passes again; otherwise as above. */
export function beginRefreshFanOuts(ctx: Context, accountId: string, templateId: string) {
  return beginTemplateFanOuts(ctx, { accountId, templateId, version: null }, isOwnTemplate(accountId, templateId));
}

type Content = Pick<NewFanOut, 'accountId' | 'version' | 'versionBefore'> & { templateId: string };

function beginTemplateFanOuts(ctx: Context, content: Content, isMeant: SQL) {
  const { templateId } = content;
  const begin = (kind: FanOutKind) => {
    const isHeld = sql`exists (${heldPasses(kind, sql`1`, templateId)})`;
    return beginFanOut(
      ctx,
      { ...content, id: uuidv7(shardOf(templateId)), kind, text: null, isOpen: true },
      sql`from ${templates} where ${isMeant} and ${isHeld}`,
    );
  };
  return [begin('devices'), begin('google')] as const;
}

/** Returns the jobs that split fan-outs into pages. */
export function fanOutJobs(fanOuts: Pick<PushFanOut, 'id' | 'accountId'>[]): Job[] {
  return fanOuts.map(({ id, accountId }) => ({ type: 'walk-push-fan-out', accountId, fanOutId: id }));
}

/**
 * Builds the source (`from`) and condition for the passes that a fan-out covers: those on a device, or those at Google.
 * Each has a partial index. It is named, because the planner wouldn't always choose it, and its condition is repeated,
 * because it wouldn't apply otherwise.
 */
export function heldSource(kind: FanOutKind, templateId: string | SQL): { source: SQL; isHeld: SQL } {
  const [index, isHeld] =
    kind === 'google'
      ? ['passes_at_google_by_template', 'google_published_at is not null']
      : ['passes_active_keys_by_template', 'number_of_active > 0'];
  return {
    source: sql`${passes} indexed by ${sql.raw(index)}`,
    isHeld: sql`template_id = ${templateId} and ${sql.raw(isHeld)}`,
  };
}

/** Builds the query that selects `what` from these passes; `rest` continues the condition. */
export function heldPasses(kind: FanOutKind, what: SQL, templateId: string | SQL, rest: SQL = sql``): SQL {
  const { source, isHeld } = heldSource(kind, templateId);
  return sql`select ${what} from ${source} where ${isHeld} ${rest}`;
}

/**
 * Begins a fan-out with the statements of `begin` for the passes with these ascending keys, and enqueues its pages. One
 * round trip.
 */
export async function insertPages(
  ctx: AccountContext,
  fanOutId: string,
  keys: number[],
  begin: [ReturnType<typeof beginFanOut>, ...BatchItem<'sqlite'>[]],
): Promise<void> {
  const now = Date.now();
  const pages = slicesOf(keys, PAGE_PASSES).map(
    (ofPage): PushPage => ({
      fanOutId,
      number: ofPage[0]!,
      last: ofPage.at(-1)!,
      keys: ofPage,
      revision: 0,
      requestedAt: now,
      dueAt: now + HAND_OVER_LEASE_MS,
      claim: null,
      attempts: 0,
    }),
  );
  await commit(
    ctx,
    [...begin, ...pages.map((page) => ctx.db.insert(pushPages).values(page))],
    pages.map(({ number }) => ({ type: 'push-page', accountId: ctx.account.id, fanOutId, page: number })),
  );
}
