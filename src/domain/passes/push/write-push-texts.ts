import { eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../../platform/chunks.ts';
import { logLine } from '../../../platform/log.ts';
import { rawStatement } from '../../../platform/raw-statement.ts';
import type { AccountContext, Context } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { isClaimHeld, keysOfPage, noteRevision, type PageClaim, type PagePasses } from '../../pushes/claim-page.ts';
import { requestPushes } from '../../pushes/request-pushes.ts';
import { pushFanOuts } from '../../pushes/table.ts';
import { getDefinition } from '../../templates/get-template.ts';
import { templates } from '../../templates/table.ts';
import { CHANGE_DISTANCE_MS } from '../../versions.ts';
import { FOUND_PASS, type FoundPass, shownVersion } from '../find-pass.ts';
import { changedAt } from '../modified-at.ts';
import { passes } from '../table.ts';
import { filledText } from './push-text.ts';

/** Texts of a page's passes, by key; a single text if all get the same. */
export type Texts = string | Map<number, string>;

/** Pass of a page whose values fill the placeholders of the fan-out's text. */
export type PassToFill = FoundPass & { key: number };

/** Builds the query of the passes of a page. It returns none if the text of the fan-out has no placeholders. */
export function passesToFillQuery(ctx: Context, claim: PageClaim) {
  const asks = sql`instr(${pushFanOuts.text}, '{') > 0`;
  return ctx.db
    .select({ ...FOUND_PASS, key: sql<number>`${passes.key}`.as('pass_key') })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(sql`${passes.key} in ${keysOfPage(claim, asks)}`);
}

/** Fills the placeholders in the text of a fan-out. A pass whose text is empty or too long gets none. */
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

/** Page whose passes get their text, and the SQL that selects all of them and those at Google. */
export interface PageToWrite {
  claim: PageClaim;
  inPage: PagePasses;
  atGoogle: PagePasses;
  /** Template of all passes, or null. */
  templateId: string | null;
}

/**
 * Builds the statements that store the text in the active passes of a page. Each pass whose text changes gets a new
 * version and `revision`, and a push request if it is at Google. The last statement returns the requests. The batch
 * must not store other texts.
 */
export function writePushTexts(ctx: AccountContext, page: PageToWrite, texts: Texts, revision: number) {
  const { claim, inPage, atGoogle, templateId } = page;
  const planned = sql`max(${Date.now()}, ${passes.modifiedAt} + ${CHANGE_DISTANCE_MS})`;
  const modifiedAt = changedAt(
    planned,
    templateId === null ? undefined : { id: templateId, accountId: ctx.account.id },
  );
  // The claim is checked in the values: a query in the condition makes SQLite visit the rows twice.
  const held = (value: SQL, old: SQLiteColumn) => sql`iif(${isClaimHeld(claim)}, ${value}, ${old})`;
  const writes = piecesOf(texts).map(({ has, text }) =>
    rawStatement(
      ctx.db,
      sql`update ${inPage.updated} set push_text = ${held(text, passes.pushText)},
          version = ${held(sql`${passes.version} + 1`, passes.version)},
          revision = ${held(sql`${revision}`, passes.revision)}, modified_at = ${held(modifiedAt, passes.modifiedAt)}
        where ${inPage.whereUpdated} and ${passes.numberOfActive} > 0 and ${passes.pushText} is not ${text} and ${has}`,
    ),
  );
  const request = requestPushes(ctx, {
    from: atGoogle.from,
    selected: sql`${atGoogle.where} and ${passes.revision} = ${revision}`,
    text: sql`${passes.pushText}`,
    wallets: ['google'],
  });
  return { statements: [noteRevision(ctx, claim, revision), ...writes] as BatchItem<'sqlite'>[], request };
}

/** Passes with their texts. */
interface Piece {
  /** Whether the piece contains a pass. */
  has: SQL;
  text: SQL;
}

function piecesOf(texts: Texts): Piece[] {
  if (typeof texts === 'string') return [{ has: sql`true`, text: sql`${texts}` }];
  const chars = ([, text]: [number, string]) => JSON.stringify(text).length;
  return chunksOf([...texts], PARAMETER_CHARS_MAX, chars).map((piece) => {
    const text = sql`(${JSON.stringify(Object.fromEntries(piece))} ->> ('$."' || ${passes.key} || '"'))`;
    // A pass that is in no piece gets no text.
    return { has: sql`${text} is not null`, text };
  });
}
