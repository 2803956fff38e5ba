import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../table.ts';
import { FLIGHT_FIELD_NAMES, PASS_COLORS } from '../values/pass-fields.ts';
import { HIDDEN_END, INDEXED_TEXTS } from './pass-document.ts';
import { dateIn, numberIn, numberText } from './plain-values.ts';
import { codeOf } from './search-terms.ts';

/*
 * SQL for the values of a pass as search compares them, from its row in `passes`. SQLite folds only ASCII and reads
 * numbers and dates in plain forms; `folded_values` has the values that search treats differently. An old pass may
 * still have a document, which then has all of them.
 */

/** Value as search compares it. */
export interface StoredValue {
  /** Folded text; for a list, JSON with folded texts. */
  text: SQL;
  number: SQL;
  /** UTC milliseconds of the wall clock. */
  date: SQL;
}

const [START, CHARS, OLD_NUMBER, OLD_DATE] = [0, 1, 2, 3];
const [TEXT, NUMBER, DATE] = [0, 1, 2];

/** Builds the value of a built-in text field. */
export function storedText(name: keyof typeof INDEXED_TEXTS): StoredValue {
  return storedValue(codeOf(name), passes[INDEXED_TEXTS[name]].getSQL());
}

export function storedColor(name: (typeof PASS_COLORS)[number]): StoredValue {
  return storedValue(codeOf(name), sql`(${passes.appearance} ->> ${path(`colors.${name}`)})`);
}

export function storedFlightField(name: (typeof FLIGHT_FIELD_NAMES)[number]): StoredValue {
  return storedValue(codeOf(name), sql`(${passes.flight} ->> ${path(name)})`);
}

/** Builds the list of validation places as JSON. */
export function storedPlaces(): StoredValue {
  const code = codeOf('eligibleValidationPlaces');
  return storedValue(code, sql`(${passes.appearance} -> ${path('eligibleValidationPlaces')})`);
}

/** Builds the value of an additional property. */
export function storedProperty(id: string): StoredValue {
  const at = path(`"${id}"`);
  const value = sql`(${passes.properties} ->> ${at})`;
  const type = sql`json_type(${passes.properties}, ${at})`;
  const text = sql`case ${type} when 'true' then 'true' when 'false' then 'false' else ${value} end`;
  return storedValue(codeOf(id), sql`(${text})`, sql`iif(${type} = 'text', ${value}, null)`);
}

function storedValue(code: string, value: SQL, readable: SQL = value): StoredValue {
  const folded = (place: number) => sql`(${passes.foldedValues} ->> ${path(`${code}[${place}]`)})`;
  const old = (place: number) => sql.raw(`(old.fields ->> '$.${code}[${place}]')`);
  const oldText = sql`(select substr(old.content, ${old(START!)}, ${old(CHARS!)}) ${OLD_DOCUMENT})`;
  const point = (place: number, oldPlace: number, read: SQL) =>
    sql`(case when ${folded(TEXT!)} is not null then ${folded(place)}
      when exists (select 1 ${OLD_DOCUMENT}) then (select ${old(oldPlace)} ${OLD_DOCUMENT}) else ${read} end)`;
  return {
    text: sql`coalesce(${folded(TEXT!)}, ${oldText}, lower(${value}))`,
    number: point(NUMBER!, OLD_NUMBER!, numberIn(readable)),
    date: point(DATE!, OLD_DATE!, dateIn(readable)),
  };
}

const OLD_DOCUMENT = sql`from pass_documents as old where old.key = ${passes.key} and ${passes.foldedValues} is null`;

function path(member: string): SQL {
  return sql.raw(`'$.${member}'`);
}

/** SQL for the values that phrases search: the values of a pass, one per line. */
export interface VisibleValues {
  /** All values. Listing additional properties counts as reading rows, so use this only if a match is possible. */
  all: SQL;
  /** All values except additional properties. */
  builtIn: SQL;
  /**
   * Whether a text may be in an additional property, or whether it is if `isExact`. `operand` is the text in the form
   * of `inJson`.
   */
  hasInProperties(operand: SQL, isExact: boolean): SQL;
}

const key = sql.raw(`replace(member.key, '.', '')`);
const foldedMember = sql`${passes.foldedValues} ->> ('$.' || ${key} || '[0]')`;
const propertyLines = sql`(select group_concat(coalesce(${foldedMember}, lower(member.value)), char(10))
  from json_each(${passes.properties}) as member where member.type = 'text')`;

const visibleInOld = sql.raw(`substr(old.content, instr(old.content, char(${HIDDEN_END.charCodeAt(0)})) + 1)`);
const orOld = (lines: SQL) => sql`coalesce((select ${visibleInOld} ${OLD_DOCUMENT}), ${lines})`;

export function visibleValues(): VisibleValues {
  const line = (text: SQL) => sql`coalesce(${text} || char(10), '')`;
  const foldedText = (code: string, text: SQL) =>
    line(sql`coalesce(${passes.foldedValues} ->> ${path(`${code}[0]`)}, ${text})`);
  const ofFlight = FLIGHT_FIELD_NAMES.map((name) =>
    foldedText(codeOf(name), sql`lower(${passes.flight} ->> ${path(name)})`),
  );
  const ofColors = PASS_COLORS.map((name) => line(sql`lower(${passes.appearance} ->> ${path(`colors.${name}`)})`));
  const builtIn = concat([
    ...Object.entries(INDEXED_TEXTS).map(([name, column]) => foldedText(codeOf(name), sql`lower(${passes[column]})`)),
    foldedText(codeOf('storedValue'), numberText(sql`${passes.storedValue}`)),
    sql`iif(${passes.appearance} ->> '$.colors' is null, '', ${concat(ofColors)})`,
    sql`iif(${passes.flight} is null, '', ${concat(ofFlight)})`,
  ]);
  return {
    all: orOld(sql`${builtIn} || coalesce(${propertyLines}, '')`),
    builtIn: orOld(builtIn),
    hasInProperties(operand, isExact) {
      const isIn = sql`instr(lower(${passes.properties}), ${operand}) > 0`;
      const isOld = sql`exists (select 1 ${OLD_DOCUMENT})`;
      return isExact
        ? sql`(${passes.foldedValues} is null and ${isIn} and not ${isOld})`
        : sql`(${passes.foldedValues} is not null or ${isIn})`;
    },
  };
}

/** Concatenates texts as a balanced tree, because D1 limits the depth of expressions to 100. */
function concat(texts: SQL[]): SQL {
  if (texts.length === 1) return texts[0]!;
  const middle = texts.length >> 1;
  return sql`(${concat(texts.slice(0, middle))} || ${concat(texts.slice(middle))})`;
}

/** Returns a folded text as it appears inside a JSON string. */
export function inJson(folded: string): string {
  return JSON.stringify(folded).slice(1, -1);
}

/** JSON text of properties between two strings, besides keys. */
const BESIDE_VALUES = [':true,', ':true}', ':false,', ':false}', '{}'];

/**
 * Whether a folded text can only occur inside values in the JSON of plain properties: it isn't part of a key, contains
 * no character that JSON escapes, and doesn't occur between two strings.
 */
export function isOnlyInValues(folded: string): boolean {
  return !/^[0-9a-f.]*$/.test(folded) && !/["\\]/.test(folded) && !BESIDE_VALUES.some((text) => text.includes(folded));
}
