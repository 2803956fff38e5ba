import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { KeySettings } from '../../../platform/sealed-text.ts';
import type { Context } from '../../context.ts';
import { hideTokensInMessageEvents, removeLinkTokens } from '../../events/earlier-events.ts';
import { hideTokensInSubjects } from '../../messages/hide-tokens.ts';
import { withoutToken } from '../card/kept-text.ts';
import { bundleLinks, linkTokenMoves, passes } from '../table.ts';
import { bundleCopy, isBundleCopy, keepBundleToken, keepTokens, openTokens } from './links.ts';

/** Rows per page, and pages per call. */
const PAGE_ROWS = 500;
const PAGES_MAX = 10;

/** Converts the page of a part after a position. Returns the next position, or null at the end. */
type MovePage = (ctx: Context, after: string) => Promise<string | null>;

/**
 * Cron task: continues converting old rows after the upgrade that encrypts link tokens, a few thousand rows per part
 * and call. Otherwise reads one empty table. Concurrent runs are harmless. `deleteOpenFiles` converts the stored pass
 * files.
 */
export async function moveLinkTokens(ctx: Context, deleteOpenFiles: MovePage): Promise<void> {
  const parts: Record<typeof linkTokenMoves.$inferSelect.part, MovePage> = {
    passes: movePasses,
    bundles: moveBundles,
    events: moveEvents,
    files: deleteOpenFiles,
  };
  for (const { part, after } of await ctx.db.select().from(linkTokenMoves)) {
    let place: string | null = after;
    for (let page = 0; page < PAGES_MAX && place !== null; page++) {
      const next: string | null = await parts[part](ctx, place);
      const mine = and(eq(linkTokenMoves.part, part), eq(linkTokenMoves.after, place));
      if (next === null) await ctx.db.delete(linkTokenMoves).where(mine);
      else if (next !== place) await ctx.db.update(linkTokenMoves).set({ after: next }).where(mine);
      place = next;
    }
  }
}

const moveEvents: MovePage = async (ctx, after) => {
  const next = await removeLinkTokens(ctx, Number(after));
  return next === null ? null : String(next);
};

/** Converts a token only if it is still the one that was read. A page in which another one changed is repeated. */
const movePasses: MovePage = async (ctx, after) => {
  const rows = await ctx.db
    .select()
    .from(passes)
    .where(gt(passes.key, Number(after)))
    .orderBy(asc(passes.key))
    .limit(PAGE_ROWS);
  const own = rows.filter(({ secrets }) => secrets === null).map((pass) => movedPass(ctx, pass));
  const copied = rows.flatMap((pass) => movedCopy(ctx.env, pass) ?? []);
  const tokens = JSON.stringify([...own, ...copied].map(({ id, token }) => [id, token]));
  const hidden = sql`(select value ->> 0 as pass_id, value ->> 1 as token from json_each(${tokens}))`;
  const value = (name: string) => sql.raw(`move.row ->> '${name}'`);
  const ofRows = (list: object[]) => sql`(select value as row from json_each(${JSON.stringify(list)})) as move`;
  const [, , moved, movedCopies] = await ctx.db.batch([
    hideTokensInSubjects(ctx, hidden),
    hideTokensInMessageEvents(ctx, hidden),
    ctx.db
      .update(passes)
      .set({
        pageToken: value('page'),
        fileToken: value('file'),
        authenticationToken: value('authentication'),
        secrets: value('secrets'),
        pushText: sql`iif(${passes.pushText} = ${value('pushText')}, ${value('keptText')}, ${passes.pushText})`,
      })
      .from(ofRows(own))
      .where(
        sql`${passes.key} = ${value('key')} and ${passes.pageToken} = ${value('token')} and ${passes.secrets} is null`,
      )
      .returning({ key: passes.key }),
    ctx.db
      .update(passes)
      .set({ bundlePageToken: value('copy') })
      .from(ofRows(copied))
      .where(sql`${passes.key} = ${value('key')} and ${passes.bundlePageToken} = ${value('token')}`)
      .returning({ key: passes.key }),
  ]);
  if (moved.length < own.length || movedCopies.length < copied.length) return after;
  return rows.length < PAGE_ROWS ? null : String(rows.at(-1)!.key);
};

type StoredPass = typeof passes.$inferSelect;

function movedPass(ctx: Context, pass: StoredPass) {
  const { key, id, pageToken: token, pushText } = pass;
  const kept = keepTokens(ctx.env, id, openTokens(ctx.env, pass));
  return {
    ...{ key, id, token, pushText, keptText: pushText && withoutToken(ctx, pass, pushText) },
    ...{ page: kept.pageToken, file: kept.fileToken, authentication: kept.authenticationToken, secrets: kept.secrets },
  };
}

function movedCopy(keys: KeySettings, { key, id, accountId, bundleId, bundlePageToken: token }: StoredPass) {
  if (bundleId === null || token === null || isBundleCopy(token)) return undefined;
  return [{ key, id, token, copy: bundleCopy(keys, { accountId, bundleId, pageToken: token, secret: null }) }];
}

const moveBundles: MovePage = async (ctx, after) => {
  const { accountId, bundleId } = bundleLinks;
  const [account, bundle] = after === '' ? ['', ''] : (JSON.parse(after) as [string, string]);
  const rows = await ctx.db
    .select()
    .from(bundleLinks)
    .where(sql`(${accountId}, ${bundleId}) > (${account}, ${bundle})`)
    .orderBy(asc(accountId), asc(bundleId))
    .limit(PAGE_ROWS);
  const open = rows.filter(({ secret }) => secret === null);
  const moves = open.map((link) => {
    const kept = keepBundleToken(ctx.env, { ...link, token: link.pageToken });
    return [link.pageToken, kept.pageToken, kept.secret];
  });
  const value = (at: number) => sql.raw(`move.row ->> ${at}`);
  // The token of a bundle never changes, so a missing one has already been converted.
  await ctx.db
    .update(bundleLinks)
    .set({ pageToken: value(1), secret: value(2) })
    .from(sql`(select value as row from json_each(${JSON.stringify(moves)})) as move`)
    .where(sql`${bundleLinks.pageToken} = ${value(0)} and ${bundleLinks.secret} is null`);
  const last = rows.at(-1);
  return rows.length < PAGE_ROWS ? null : JSON.stringify([last!.accountId, last!.bundleId]);
};
