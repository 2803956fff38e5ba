import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../table.ts';
import { FLIGHT_FIELD_NAMES } from '../values/flight-fields.ts';
import { PASS_COLORS } from '../values/pass-fields.ts';
import { HIDDEN_END, INDEXED_TEXTS } from './pass-document.ts';
import { dateIn, numberIn, numberText } from './plain-values.ts';
import { codeOf } from './search-terms.ts';

/*
 * SQL for the values of a pass as search compares them, over its row in `passes`. SQLite folds ASCII alone and reads
 * numbers and dates in plain forms: `folded_values` has every value of which search makes something else. A pass from
 * before may still have a document, which then has all of them.
 */

/** A value as search compares it. */
export interface StoredValue {
  /** The folded text; of a list, JSON with folded texts. */
  text: SQL;
  number: SQL;
  /** UTC milliseconds of the wall clock. */
  date: SQL;
}

const [START, CHARS, OLD_NUMBER, OLD_DATE] = [0, 1, 2, 3];
const [TEXT, NUMBER, DATE] = [0, 1, 2];

/** The values of built-in fields that are texts, by name. */
export function storedText(name: keyof typeof INDEXED_TEXTS): StoredValue {
  return storedValue(codeOf(name), passes[INDEXED_TEXTS[name]].getSQL());
}

export function storedColor(name: (typeof PASS_COLORS)[number]): StoredValue {
  return storedValue(codeOf(name), sql`(${passes.appearance} ->> ${path(`colors.${name}`)})`);
}

export function storedFlightField(name: (typeof FLIGHT_FIELD_NAMES)[number]): StoredValue {
  return storedValue(codeOf(name), sql`(${passes.flight} ->> ${path(name)})`);
}

/** JSON: a list of texts. */
export function storedPlaces(): StoredValue {
  const code = codeOf('eligibleValidationPlaces');
  return storedValue(code, sql`(${passes.appearance} -> ${path('eligibleValidationPlaces')})`);
}

/** The value of an additional property. */
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

/** SQL for what a phrase looks at: the values of a pass, a line each, as far as they are needed. */
export interface VisibleValues {
  /** All of them. To list additional properties counts as reading rows, so ask for these only where it may be right. */
  all: SQL;
  /** All but additional properties. */
  builtIn: SQL;
  /**
   * Whether a text may be in an additional property; or whether it is, where `isExact`. `operand` is the text as
   * `inJson` writes it.
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

/** Texts one behind the other; joined as a balanced tree, because D1 takes expressions up to a depth of 100. */
function concat(texts: SQL[]): SQL {
  if (texts.length === 1) return texts[0]!;
  const middle = texts.length >> 1;
  return sql`(${concat(texts.slice(0, middle))} || ${concat(texts.slice(middle))})`;
}

/** A folded text as it stands inside a string of JSON. */
export function inJson(folded: string): string {
  return JSON.stringify(folded).slice(1, -1);
}

/** What stands between two strings in the JSON of properties, and inside of the keys. */
const BESIDE_VALUES = [':true,', ':true}', ':false,', ':false}', '{}'];

/**
 * Whether the JSON of properties that are all plain contains a folded text only inside of values: the text is part of
 * no key, has no sign that JSON writes in another way, and is not between two strings.
 */
export function isOnlyInValues(folded: string): boolean {
  return !/^[0-9a-f.]*$/.test(folded) && !/["\\]/.test(folded) && !BESIDE_VALUES.some((text) => text.includes(folded));
}
