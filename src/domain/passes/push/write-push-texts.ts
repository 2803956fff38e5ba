import { eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../../platform/chunks.ts';
import { logLine } from '../../../platform/log.ts';
import type { AccountContext, Context } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { keysOfPage, narrowPage, type PageClaim } from '../../pushes/claim-page.ts';
import { requestPushes } from '../../pushes/request-pushes.ts';
import { pushFanOuts } from '../../pushes/table.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { templates } from '../../templates/table.ts';
import { newRevision } from '../../versions.ts';
import { FOUND_PASS, type FoundPass, shownVersion } from '../find-pass.ts';
import { CHANGE_DISTANCE_MS, changedAt } from '../modified-at.ts';
import { passes } from '../table.ts';
import { filledText } from './push-text.ts';

/** What each pass of a page gets to read, by key; a text alone when all get the same. */
export type Texts = string | Map<number, string>;

/** A pass of a page, whose own values the text of a fan-out names. */
export type PassToFill = FoundPass & { key: number };

/**
 * The statement that reads the passes of a page, or none when the text of the fan-out has no placeholder: then nobody
 * needs them.
 */
export function passesToFillQuery(ctx: Context, claim: PageClaim) {
  const asks = sql`instr(${pushFanOuts.text}, '{') > 0`;
  return ctx.db
    .select({ ...FOUND_PASS, key: sql<number>`${passes.key}`.as('pass_key') })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(sql`${passes.key} in ${keysOfPage(claim, asks)}`);
}

/**
 * The text of a fan-out with its placeholders filled; a pass for which nothing is left of it, or too much comes of it,
 * gets none.
 */
export async function pageTexts(ctx: AccountContext, text: string, rows: PassToFill[]): Promise<Texts> {
  if (!text.includes('{')) return text;
  const texts = new Map<number, string>();
  for (const row of rows) {
    const definition = await getDefinition(ctx, row.pass.templateId, shownVersion(row));
    try {
      const filled = await filledText(ctx, text, { pass: row.pass, definition });
      if (filled !== '') texts.set(row.key, filled);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      logLine('error', { event: 'push-text', requestId: ctx.requestId, pass: row.pass.id, error: error.message });
    }
  }
  return texts;
}

/**
 * The statements that give the active passes of a page their text, for one batch in which they alone do so: the page
 * keeps those to which it is news, each becomes a version newer, and objects at Google get a request. `templateId` is
 * that of all of them, or null. The last one returns the requests.
 */
export function writePushTexts(ctx: AccountContext, claim: PageClaim, texts: Texts, templateId: string | null) {
  const selected = sql`${passes.key} in ${keysOfPage(claim)}`;
  const planned = sql`max(${Date.now()}, ${passes.modifiedAt} + ${CHANGE_DISTANCE_MS})`;
  const modifiedAt = changedAt(
    planned,
    templateId === null ? undefined : { id: templateId, accountId: ctx.account.id },
  );
  const statements: BatchItem<'sqlite'>[] = [];
  const pieces = piecesOf(texts);
  for (const { has, text } of pieces) {
    const isNews = sql`${passes.numberOfActive} > 0 and ${passes.pushText} is not ${text}`;
    statements.push(narrowPage(ctx, claim, sql`not ${has} or (${isNews})`));
  }
  // Who is in no piece has nothing to read.
  if (texts instanceof Map) statements.push(narrowPage(ctx, claim, isIn(JSON.stringify([...texts.keys()]))));
  for (const { has, text } of pieces) {
    statements.push(
      ctx.db
        .update(passes)
        .set({ pushText: text, version: sql`${passes.version} + 1`, revision: newRevision(), modifiedAt })
        .where(sql`${selected} and ${has}`),
    );
  }
  const request = requestPushes(ctx, { selected, text: sql`${passes.pushText}`, wallets: ['google'] });
  return { statements, request };
}

/** Passes, and what they get to read. */
interface Piece {
  /** Whether a pass is one of them. */
  has: SQL;
  text: SQL;
}

function piecesOf(texts: Texts): Piece[] {
  if (typeof texts === 'string') return [{ has: sql`true`, text: sql`${texts}` }];
  const chars = ([, text]: [number, string]) => JSON.stringify(text).length;
  return chunksOf([...texts], PARAMETER_CHARS_MAX, chars).map((piece) => ({
    has: isIn(JSON.stringify(piece.map(([key]) => key))),
    text: sql`${JSON.stringify(Object.fromEntries(piece))} ->> ('$."' || ${passes.key} || '"')`,
  }));
}

const isIn = (keys: string) => sql`${passes.key} in (select value from json_each(${keys}))`;
