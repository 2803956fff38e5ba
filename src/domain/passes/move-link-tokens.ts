import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { KeySettings } from '../../platform/encryption-keys.ts';
import type { Context } from '../context.ts';
import { removeLinkTokens } from '../events/remove-link-tokens.ts';
import { bundleCopy, isBundleCopy, keepBundleToken, keepTokens, openTokens } from './link-tokens.ts';
import { bundleLinks, linkTokenMoves, passes } from './table.ts';

/** Rows of one page; pages of one call. */
const PAGE_ROWS = 500;
const PAGES_MAX = 10;

/** Does the next page of a part behind a place; returns the place to go on behind, or null at the end. */
type MovePage = (ctx: Context, after: string) => Promise<string | null>;

/**
 * Cron task after the upgrade that encrypts link tokens: goes on moving what was stored before, a few thousand rows of
 * each part a call; reads one empty table otherwise. Two at once do the same work twice, which harms nothing.
 * `deleteOpenFiles` does the part of the stored pass files.
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

/** A token is replaced only while it is the one that was read; a page in which another one was is done again. */
const movePasses: MovePage = async (ctx, after) => {
  const rows = await ctx.db
    .select()
    .from(passes)
    .where(gt(passes.key, Number(after)))
    .orderBy(asc(passes.key))
    .limit(PAGE_ROWS);
  const own = rows.filter(({ secrets }) => secrets === null).map((pass) => movedPass(ctx.env, pass));
  const copied = rows.flatMap((pass) => movedCopy(ctx.env, pass) ?? []);
  const value = (at: number) => sql.raw(`move.row ->> ${at}`);
  const [moved, movedCopies] = await ctx.db.batch([
    ctx.db
      .update(passes)
      .set({ pageToken: value(2), fileToken: value(3), authenticationToken: value(4), secrets: value(5) })
      .from(sql`(select value as row from json_each(${JSON.stringify(own)})) as move`)
      .where(sql`${passes.key} = ${value(0)} and ${passes.pageToken} = ${value(1)} and ${passes.secrets} is null`)
      .returning({ key: passes.key }),
    ctx.db
      .update(passes)
      .set({ bundlePageToken: value(2) })
      .from(sql`(select value as row from json_each(${JSON.stringify(copied)})) as move`)
      .where(sql`${passes.key} = ${value(0)} and ${passes.bundlePageToken} = ${value(1)}`)
      .returning({ key: passes.key }),
  ]);
  if (moved.length < own.length || movedCopies.length < copied.length) return after;
  return rows.length < PAGE_ROWS ? null : String(rows.at(-1)!.key);
};

type StoredPass = typeof passes.$inferSelect;

function movedPass(keys: KeySettings, pass: StoredPass) {
  const { pageToken, fileToken, authenticationToken, secrets } = keepTokens(keys, pass.id, openTokens(keys, pass));
  return [pass.key, pass.pageToken, pageToken, fileToken, authenticationToken, secrets];
}

function movedCopy(keys: KeySettings, { key, accountId, bundleId, bundlePageToken }: StoredPass) {
  if (bundleId === null || bundlePageToken === null || isBundleCopy(bundlePageToken)) return undefined;
  const link = { accountId, bundleId, pageToken: bundlePageToken, secret: null };
  return [[key, bundlePageToken, bundleCopy(keys, link)]];
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
  // Nobody replaces the token of a bundle, so whose is gone has been moved.
  await ctx.db
    .update(bundleLinks)
    .set({ pageToken: value(1), secret: value(2) })
    .from(sql`(select value as row from json_each(${JSON.stringify(moves)})) as move`)
    .where(sql`${bundleLinks.pageToken} = ${value(0)} and ${bundleLinks.secret} is null`);
  const last = rows.at(-1);
  return rows.length < PAGE_ROWS ? null : JSON.stringify([last!.accountId, last!.bundleId]);
};
