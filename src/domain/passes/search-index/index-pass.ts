import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { canonicalJson } from '../../../platform/canonical-json.ts';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../../platform/chunks.ts';
import { rawStatement } from '../../../platform/raw-statement.ts';
import type { Context, OwnerContext } from '../../context.ts';
import { isOfAccount, isOwnPass } from '../own-pass.ts';
import { type Pass, passDocuments, passes } from '../table.ts';
import { documentOf, INDEXED_COLUMNS, indexedAppearance, SEPARATOR } from './pass-document.ts';
import { accountScope, codeOf, END, fold, GRAM_CHARS, gramPrefix, TERM_BYTES_MAX, textTerm } from './search-terms.ts';

/*
 * The statements that keep the search index. Whoever writes a pass puts them into the same batch, so that a pass is
 * never found by what it was. `pass_terms` is an FTS5 table without content (a later migration makes it; drizzle does
 * not know such tables): a row is the words of a pass, `rowid` its `key`.
 */

/** A state of a pass to index. */
export interface IndexedState {
  pass: Pass;
  /** Indexed only while the stored pass has this version. */
  version: number;
  /** Whether this is an attempt to create it, and only the one that stored it indexes it. */
  isNew?: boolean;
}

/**
 * The statements that index states of passes, each if the stored pass has that version and `condition` holds: put them
 * behind the statement that stores a new pass, and before one that changes a pass. Two rows are written for each.
 */
export function indexPasses(ctx: Context, states: IndexedState[], condition: SQL = sql`true`): BatchItem<'sqlite'>[] {
  const [first, ...others] = states;
  if (first && others.length === 0) return indexPass(ctx, first, condition);
  const documents = states.map(({ pass, version }) => ({
    id: pass.id,
    accountId: pass.accountId,
    version,
    document: documentOf(pass),
  }));
  const contents = documents.map(({ id, accountId, version, document: { content, fields } }) =>
    JSON.stringify([id, accountId, version, content, JSON.stringify(fields)]),
  );
  const terms = documents.map(({ id, accountId, version, document }) =>
    JSON.stringify([id, accountId, version, document.terms.join(' ')]),
  );
  const source = (rows: string[]) => sql`json_each(${`[${rows}]`}) as state
    join ${passes} on ${passes.id} = state.value ->> 0 and ${isOfAccount(sql`state.value ->> 1`)}
      and ${passes.version} = state.value ->> 2 where ${condition}`;
  return [
    ...chunksOf(contents, PARAMETER_CHARS_MAX).map((rows) =>
      storeDocuments(ctx, sql`${passes.key}, state.value ->> 3, state.value ->> 4 from ${source(rows)}`),
    ),
    ...chunksOf(terms, PARAMETER_CHARS_MAX).map((rows) =>
      storeTerms(ctx, sql`${passes.key}, state.value ->> 3 from ${source(rows)}`),
    ),
  ];
}

/** Without a list around it, a pass is one row to read. */
function indexPass(ctx: Context, { pass, version, isNew }: IndexedState, condition: SQL): BatchItem<'sqlite'>[] {
  const { terms, content, fields } = documentOf(pass);
  const source = storedPass(pass, version, isNew ? sql`${isOfAttempt(pass)} and ${condition}` : condition);
  return [
    storeDocuments(ctx, sql`${passes.key}, ${content}, ${JSON.stringify(fields)} from ${source}`),
    storeTerms(ctx, sql`${passes.key}, ${terms.join(' ')} from ${source}`),
  ];
}

function storedPass({ id, accountId }: Pass, version: number, condition: SQL): SQL {
  return sql`${passes} where ${and(isOwnPass(accountId, id), eq(passes.version, version))} and ${condition}`;
}

/** Each attempt to create a pass makes its token anew. */
function isOfAttempt({ pageToken }: Pass): SQL {
  return eq(passes.pageToken, pageToken);
}

function storeDocuments(ctx: Context, rows: SQL) {
  return rawStatement(ctx.db, sql`insert or replace into ${passDocuments} (key, content, fields) select ${rows}`);
}

function storeTerms(ctx: Context, rows: SQL) {
  return rawStatement(ctx.db, sql`insert or replace into pass_terms (rowid, terms) select ${rows}`);
}

/** For before a changed pass is written; none when nothing that is searched changed. */
export function reindexPass(ctx: Context, before: Pass, after: Pass, condition: SQL): BatchItem<'sqlite'>[] {
  const isSame = (column: keyof Pass) =>
    before[column] === after[column] || canonicalJson(before[column]) === canonicalJson(after[column]);
  const isSameAppearance = canonicalJson(indexedAppearance(before)) === canonicalJson(indexedAppearance(after));
  if (isSameAppearance && INDEXED_COLUMNS.every(isSame)) return [];
  return indexPasses(ctx, [{ pass: after, version: before.version }], condition);
}

/** For before passes are deleted; `ids` is SQL for a list of identifiers. */
export function unindexPasses(ctx: OwnerContext, ids: SQL, condition: SQL = sql`true`): BatchItem<'sqlite'>[] {
  const keys = sql`(select ${passes.key} from ${passes} where ${passes.id} in ${ids} and ${isOfAccount(ctx.account.id)} and ${condition})`;
  return [
    rawStatement(ctx.db, sql`delete from pass_terms where rowid in ${keys}`),
    ctx.db.delete(passDocuments).where(sql`${passDocuments.key} in ${keys}`),
  ];
}

/** A barcode value that the database makes when it stores the pass: `prefix`, then digits. */
export interface NumberedBarcode {
  prefix: string;
  charsMax: number;
}

/** Like `indexPasses`, for a new pass whose barcode value only its stored row has. */
export function indexNumberedPass(
  ctx: Context,
  pass: Pass,
  { prefix, charsMax }: NumberedBarcode,
): BatchItem<'sqlite'>[] {
  const code = codeOf('barcodeValue');
  const { terms, content, fields } = documentOf({ ...pass, barcodeValue: null });
  const value = sql`(${fold(prefix)} || substr(${passes.barcodeValue}, length(${prefix}) + 1))`;
  const source = storedPass(pass, pass.version, isOfAttempt(pass));
  const start = Array.from(content).length + SEPARATOR.length + 1;
  const account = accountScope(pass.accountId);
  const digits = sql`substr(lower(hex(${value})), 1, ${2 * TERM_BYTES_MAX})`;
  const gram = sql`substr(${value} || ${END.repeat(GRAM_CHARS - 1)}, place.value, ${GRAM_CHARS})`;
  const places = JSON.stringify(Array.from({ length: charsMax }, (_, i) => i + 1));
  const grams = sql`(select group_concat(${gramPrefix(account, '')} || lower(hex(${gram})), ' ')
    from json_each(${places}) as place where place.value <= length(${value}))`;
  const withValue = sql`json_insert(${JSON.stringify(fields)}, ${`$.${code}`}, json_array(${start}, length(${value})))`;
  return [
    storeDocuments(ctx, sql`${passes.key}, ${content + SEPARATOR} || ${value}, ${withValue} from ${source}`),
    storeTerms(
      ctx,
      sql`${passes.key}, ${terms.join(' ')} || ' ' || ${textTerm(account, code, '')} || ${digits}
        || ' ' || ${grams} from ${source}`,
    ),
  ];
}

/** Empties the search index, because all passes are deleted with it (SQLite, FTS5, "The 'delete-all' Command"). */
export async function clearIndex(ctx: Context): Promise<void> {
  await rawStatement(ctx.db, sql`insert into pass_terms (pass_terms) values ('delete-all')`);
}
