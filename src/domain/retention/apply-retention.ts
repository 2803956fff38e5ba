import { formatDateTime } from '../../platform/dates.ts';
import { claimRetentions, endRetention } from '../accounts/due-retentions.ts';
import type { Account, Retention } from '../accounts/table.ts';
import { purgeScansOf } from '../app-scans/delete-scans.ts';
import { enqueueSoon } from '../commit.ts';
import { type AccountContext, actingFor, type Context } from '../context.ts';
import { purgeMessagesOf } from '../messages/delete-messages.ts';
import { deleteManyFacts } from '../pass-facts/append-facts.ts';
import { namedPassesQuery, toDefinedPasses } from '../passes/bulk/bulk-find.ts';
import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import { deletePasses } from '../passes/deletion/delete-passes.ts';
import { checkQuery } from '../search/check-query.ts';
import { selectPassIds } from '../search/search-passes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Accounts per run of the cron. */
const ACCOUNTS_MAX = 10;
const PAGE_PASSES = 50;
/** Pages of passes per account and run; the run a minute later continues. */
const PAGES_MAX = 20;

/**
 * Cron task: deletes data after its retention, for each due account at most as much as a run may. An account is due
 * again after an hour, or at once if something is left. Suspended accounts wait.
 */
export async function applyRetention(ctx: Context, removeFiles: RemoveFiles, now = Date.now()): Promise<void> {
  for (const account of await claimRetentions(ctx, ACCOUNTS_MAX, now)) {
    const isDone = await applyTo(actingFor(ctx, account), account.retention, removeFiles, now);
    await endRetention(ctx, account, isDone ? now + HOUR_MS : now);
  }
}

/** Applies the retention of an account. Returns whether nothing is left. */
async function applyTo(
  ctx: AccountContext,
  retention: Account['retention'],
  removeFiles: RemoveFiles,
  now: number,
): Promise<boolean> {
  if (!retention) return true;
  const { scansDays, messagesDays } = retention;
  if (scansDays !== null) await purgeScansOf(ctx, now - scansDays * DAY_MS);
  if (messagesDays !== null) await purgeMessagesOf(ctx, now - messagesDays * DAY_MS);
  let isDone = true;
  for (const conditions of buildConditions(ctx, retention, now)) {
    if (!(await deleteSelected(ctx, conditions, removeFiles))) isDone = false;
  }
  return isDone;
}

/** Returns the search conditions for passes that are too old. */
function buildConditions({ account }: AccountContext, { expiredPassesDays, voidedPassesDays }: Retention, now: number) {
  const before = (days: number) => formatDateTime(now - days * DAY_MS, account.timezone);
  const lists = [];
  if (expiredPassesDays !== null) {
    lists.push([{ field: 'effectiveExpirationDate', operator: 'lowerThan', value: before(expiredPassesDays) }]);
  }
  if (voidedPassesDays !== null) {
    const unchanged = { field: 'modifiedOn', operator: 'lowerThan', value: before(voidedPassesDays) };
    lists.push([{ field: 'voided', operator: 'isTrue' }, unchanged]);
  }
  return lists;
}

/** Deletes passes with the usual events. Returns whether none are left. */
async function deleteSelected(ctx: AccountContext, conditions: object[], removeFiles: RemoveFiles): Promise<boolean> {
  const query = await checkQuery(ctx, { groups: [conditions] });
  if (query.scope.templates.length === 0) return true;
  for (let page = 0; page < PAGES_MAX; page++) {
    const ids = await selectPassIds(ctx, query, { limit: PAGE_PASSES });
    const found = [...(await toDefinedPasses(ctx, await namedPassesQuery(ctx, ids))).values()];
    if (found.length > 0) {
      const passIds = found.map(({ pass }) => pass.id);
      await removeFiles(ctx, passIds);
      await deleteManyFacts(ctx, ctx.account.id, passIds);
      // A pass that is renewed or restored at this moment stays.
      await deletePasses(ctx, found, (pass) => pass, { shouldBeUnchanged: true });
      enqueueSoon(ctx, [{ type: 'erase-passes', accountId: ctx.account.id, passIds }]);
    }
    if (ids.length < PAGE_PASSES) return true;
  }
  return false;
}
