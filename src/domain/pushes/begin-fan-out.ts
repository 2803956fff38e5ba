import { and, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { withFollowUps } from '../commit.ts';
import type { Context } from '../context.ts';
import type { Job } from '../jobs.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { heldPasses } from './held-passes.ts';
import { HAND_OVER_LEASE_MS } from './leases.ts';
import { type FanOutKind, type PushFanOut, pushFanOuts } from './table.ts';

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
  const row: Record<keyof PushFanOut, unknown> = {
    ...content,
    versionBefore: content.versionBefore ?? null,
    cursor: 0,
    createdAt: now,
    dueAt: content.isOpen ? now + HAND_OVER_LEASE_MS : null,
    claim: null,
  };
  const columns = Object.keys(getTableColumns(pushFanOuts)) as (keyof PushFanOut)[];
  const values = sql.join(
    columns.map((name) => sql`${row[name]}`),
    sql`, `,
  );
  const statement = ctx.db
    .insert(pushFanOuts)
    .select(sql`select ${values} ${source}`)
    .onConflictDoNothing()
    .returning({ id: pushFanOuts.id, accountId: pushFanOuts.accountId });
  const { id, accountId, isOpen } = content;
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
