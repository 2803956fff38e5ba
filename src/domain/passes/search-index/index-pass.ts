import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../../platform/chunks.ts';
import { canonicalJson } from '../../../platform/json.ts';
import { rawStatement } from '../../../platform/raw-statement.ts';
import type { Context, OwnerContext } from '../../context.ts';
import { isOfAccount, isOwnPass } from '../own-pass.ts';
import { type Pass, passDocuments, passes } from '../table.ts';
import {
  changedFoldedValues,
  documentOf,
  foldedValues,
  INDEXED_COLUMNS,
  indexedAppearance,
  type PassDocument,
} from './pass-document.ts';
import { isPlainFold } from './plain-values.ts';
import { accountScope, codeOf, END, fold, GRAM_CHARS, gramPrefix, TERM_BYTES_MAX, textTerm } from './search-terms.ts';

/*
 * Statements that maintain the search index. They belong in the batch that writes the pass, so that search never finds
 * an old state. `pass_terms` is a contentless FTS5 table from a later migration, because drizzle doesn't support it. A
 * row holds the words of a pass; `rowid` is its `key`.
 */

/** State of a pass to index. */
export interface IndexedState {
  pass: Pass;
  /** The state is indexed only if the stored pass has this version. */
  version: number;
  /** Whether this is an attempt to create the pass. Only the attempt that stored it indexes it. */
  isNew?: boolean;
  /** `documentOf` the pass, if known. */
  document?: PassDocument;
}

/**
 * Builds the statements that index states of passes, each if the stored pass has that version and `condition` holds.
 * They go after the insert of a new pass and before an update, which also stores `foldedValues`. Writes one row per
 * pass.
 */
export function indexPasses(ctx: Context, states: IndexedState[], condition: SQL = sql`true`): BatchItem<'sqlite'>[] {
  const [first, ...others] = states;
  if (first && others.length === 0) return [indexPass(ctx, first, condition)];
  const terms = states.map((state) => JSON.stringify([...nameOf(state), termsOf(state)]));
  return chunksOf(terms, PARAMETER_CHARS_MAX).map((rows) =>
    storeTerms(
      ctx,
      sql`${passes.key}, state.value ->> 3 from ${listed(rows)} join ${passes} on ${isListed(condition)}`,
    ),
  );
}

/**
 * Builds the statements that store `foldedValues` of stored, unchanged passes and delete their documents from earlier
 * releases.
 */
export function keepFolded(ctx: Context, states: IndexedState[]): BatchItem<'sqlite'>[] {
  const folded = states.map((state) => JSON.stringify([...nameOf(state), foldedValues(documentOf(state.pass))]));
  const value = sql`state.value ->> 3`;
  return chunksOf(folded, PARAMETER_CHARS_MAX).flatMap((rows) => [
    rawStatement(
      ctx.db,
      sql`update ${passes} set folded_values = ${value} from ${listed(rows)}
        where ${isListed()} and ${passes.foldedValues} is not ${value}`,
    ),
    rawStatement(
      ctx.db,
      sql`delete from ${passDocuments} where key in (select ${passes.key} from ${listed(rows)} join ${passes} on ${isListed()})`,
    ),
  ]);
}

const termsOf = ({ pass, document = documentOf(pass) }: IndexedState) => document.terms.join(' ');
const nameOf = ({ pass, version }: IndexedState) => [pass.id, pass.accountId, version];
const listed = (rows: string[]) => sql`json_each(${`[${rows}]`}) as state`;

function isListed(condition: SQL = sql`true`): SQL {
  return sql`${passes.id} = state.value ->> 0 and ${isOfAccount(sql`state.value ->> 1`)}
    and ${passes.version} = state.value ->> 2 and ${condition}`;
}

/** A single pass is indexed without a JSON list, which saves reading a row. */
function indexPass(ctx: Context, state: IndexedState, condition: SQL): BatchItem<'sqlite'> {
  const { pass, version, isNew } = state;
  const isState = isStored(pass, version, isNew ? sql`${isOfAttempt(pass)} and ${condition}` : condition);
  return storeTerms(ctx, sql`${passes.key}, ${termsOf(state)} from ${passes} where ${isState}`);
}

function isStored({ id, accountId }: Pass, version: number, condition: SQL): SQL {
  return sql`${and(isOwnPass(accountId, id), eq(passes.version, version))} and ${condition}`;
}

/** Each attempt to create a pass has its own token. */
function isOfAttempt({ pageToken }: Pass): SQL {
  return eq(passes.pageToken, pageToken);
}

function storeTerms(ctx: Context, rows: SQL) {
  return rawStatement(ctx.db, sql`insert or replace into pass_terms (rowid, terms) select ${rows}`);
}

/** Index update of a changed pass: statements that run before the write, and columns to write. */
export interface Reindexing {
  statements: BatchItem<'sqlite'>[];
  columns: { foldedValues?: string };
}

/** Builds the index update of a changed pass; empty if no searched value changed. */
export function reindexPass(ctx: Context, before: Pass, after: Pass, condition: SQL): Reindexing {
  const isSame = (column: keyof Pass) =>
    before[column] === after[column] || canonicalJson(before[column]) === canonicalJson(after[column]);
  const isSameAppearance = canonicalJson(indexedAppearance(before)) === canonicalJson(indexedAppearance(after));
  if (isSameAppearance && INDEXED_COLUMNS.every(isSame)) return { statements: [], columns: {} };
  const document = documentOf(after);
  return {
    statements: indexPasses(ctx, [{ pass: after, version: before.version, document }], condition),
    columns: { foldedValues: changedFoldedValues(document) },
  };
}

/** Builds the statements that unindex passes before their deletion. `ids` is SQL for a list of IDs. */
export function unindexPasses(ctx: OwnerContext, ids: SQL, condition: SQL = sql`true`): BatchItem<'sqlite'>[] {
  const keys = sql`(select ${passes.key} from ${passes} where ${passes.id} in ${ids} and ${isOfAccount(ctx.account.id)} and ${condition})`;
  return [
    rawStatement(ctx.db, sql`delete from pass_terms where rowid in ${keys}`),
    ctx.db.delete(passDocuments).where(sql`${passDocuments.key} in ${keys}`),
  ];
}

/** Barcode value that the database creates with the pass: `prefix`, then digits. */
export interface NumberedBarcode {
  prefix: string;
  charsMax: number;
}

/** Like `indexPasses`, for a new pass whose barcode value is only in its stored row. `document` doesn't contain it. */
export function indexNumberedPass(
  ctx: Context,
  pass: Pass,
  document: PassDocument,
  { prefix, charsMax }: NumberedBarcode,
): BatchItem<'sqlite'>[] {
  const code = codeOf('barcodeValue');
  const value = sql`(${fold(prefix)} || substr(${passes.barcodeValue}, length(${prefix}) + 1))`;
  const isState = isStored(pass, pass.version, isOfAttempt(pass));
  const account = accountScope(pass.accountId);
  const digits = sql`substr(lower(hex(${value})), 1, ${2 * TERM_BYTES_MAX})`;
  const gram = sql`substr(${value} || ${END.repeat(GRAM_CHARS - 1)}, place.value, ${GRAM_CHARS})`;
  const places = JSON.stringify(Array.from({ length: charsMax }, (_, i) => i + 1));
  const grams = sql`(select group_concat(${gramPrefix(account, '')} || lower(hex(${gram})), ' ')
    from json_each(${places}) as place where place.value <= length(${value}))`;
  const terms = storeTerms(
    ctx,
    sql`${passes.key}, ${document.terms.join(' ')} || ' ' || ${textTerm(account, code, '')} || ${digits}
      || ' ' || ${grams} from ${passes} where ${isState}`,
  );
  if (isPlainFold(prefix, fold(prefix))) return [terms];
  const folded = sql`json_set(coalesce(${passes.foldedValues}, '{}'), ${`$.${code}`}, json_array(${value}))`;
  return [rawStatement(ctx.db, sql`update ${passes} set folded_values = ${folded} where ${isState}`), terms];
}

/** Empties the search index when all passes are deleted (SQLite, FTS5, "The 'delete-all' Command"). */
export async function clearIndex(ctx: Context): Promise<void> {
  await rawStatement(ctx.db, sql`insert into pass_terms (pass_terms) values ('delete-all')`);
}
