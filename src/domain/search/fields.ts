import { type SQL, sql } from 'drizzle-orm';
import { own } from '../../platform/json.ts';
import type { AccountContext } from '../context.ts';
import { DIGEST_CHARS, formsOf, pathOfFile, pathOfPage } from '../passes/page/links.ts';
import {
  INDEXED_COLORS,
  INDEXED_DATES,
  INDEXED_FLAGS,
  INDEXED_LISTS,
  INDEXED_NUMBERS,
  INDEXED_TEXTS,
  WORDS_ELSEWHERE,
} from '../passes/search-index/pass-document.ts';
import { numberText } from '../passes/search-index/plain-values.ts';
import { codeOf, fold, templateScope } from '../passes/search-index/search-terms.ts';
import {
  type StoredValue,
  storedColor,
  storedFlightField,
  storedPlaces,
  storedProperty,
  storedText,
} from '../passes/search-index/stored-values.ts';
import { bundleLinks, passes } from '../passes/table.ts';
import { FLIGHT_FIELD_NAMES } from '../passes/values/pass-fields.ts';
import type { AdditionalProperty } from '../templates/additional-properties.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import type { Interval } from './intervals.ts';
import type { LinkText } from './link-texts.ts';
import type { Operands } from './operands.ts';
import type { Scope } from './scope.ts';
import type { WordSelection } from './selection.ts';

/** How the values of a field compare. */
export type Kind = 'text' | 'number' | 'date';

/** How a query reads a field. SQL is over `passes`, and null if a pass has no value. */
export interface Meaning {
  kind: Kind;
  /** The folded text (see `fold`); absent for links and for dates shown in the account's time zone. */
  text?: SQL;
  link?: LinkText;
  fold(text: string): string;
  /** The number, or the date in UTC milliseconds. */
  point?: SQL;
  /** Time zone in which dates are compared: the account's, or UTC for values that are stored as they were written. */
  timezone: string;
  /** Whether `text` is a JSON list of texts, of which one must meet the condition. */
  isList?: boolean;
  /** Template to which it is limited; absent: all of the scope. */
  templateId?: string;
  /** Location of its values in the word index. */
  words?: {
    scope: string;
    code: string;
    /** Whether words of this scope belong to passes of the query's scope only. */
    isExact: boolean;
    /** Indexed parts of its texts: nothing, whole values, or also phrases inside them. */
    texts: 'none' | 'values' | 'phrases';
    /** Code of another field whose words hold its generated identifiers. */
    elsewhere?: string;
  };
  /** Returns its words if they belong to several fields; undefined if there are too many intervals. */
  wordsOf?(intervals: Interval[]): WordSelection | undefined;
  /** Index on the passes table, for links and for values that change without a new version of the pass. */
  column?: ColumnIndex;
}

/**
 * `values`, `positive`, `true`: an index by template, maybe with this column, of the rows that have a value, a value
 * above zero, or for which `holds` is true. `unique`: SQL that finds at least the passes with an exact text.
 */
export type ColumnIndex =
  | { rows: 'values' | 'positive'; column: SQL }
  | { rows: 'true'; holds: SQL }
  | { rows: 'unique'; equals(text: string, operands: Operands): SQL };

/** Resolved field: a fact or date of the template, or meanings that each apply to other templates. */
export type Field = { templateFact: TemplateFact } | { computed: 'effectiveExpirationDate' } | { meanings: Meaning[] };

/** Fields with the same value in all passes that show the same version of a template. */
export type TemplateFact = 'templateId' | 'passTemplateName' | 'walletSaveUri';

interface FieldContext {
  ctx: AccountContext;
  scope: Scope;
}
type FieldBuilder = (context: FieldContext) => Field;

/** Built-in fields by name. A new field needs only an entry here. */
const BUILT_IN: Record<string, FieldBuilder> = {
  templateId: () => ({ templateFact: 'templateId' }),
  passTemplateName: () => ({ templateFact: 'passTemplateName' }),
  walletSaveUri: () => ({ templateFact: 'walletSaveUri' }),
  effectiveExpirationDate: () => ({ computed: 'effectiveExpirationDate' }),
  ...entries(Object.keys(INDEXED_TEXTS) as (keyof typeof INDEXED_TEXTS)[], (name, { scope }) =>
    indexedField(name, 'text', scope, storedText(name), { elsewhere: WORDS_ELSEWHERE[name] }),
  ),
  ...entries(INDEXED_COLORS, (name, { scope }) => indexedField(name, 'text', scope, storedColor(name))),
  ...entries(FLIGHT_FIELD_NAMES, (name, { scope }) =>
    indexedField(name, flightKind(name), scope, storedFlightField(name)),
  ),
  ...entries(INDEXED_LISTS, (name, { scope }) => indexedField(name, 'text', scope, storedPlaces(), { isList: true })),
  ...entries(Object.keys(INDEXED_FLAGS) as (keyof typeof INDEXED_FLAGS)[], (name, { scope }) => {
    const text = sql`case ${passes[INDEXED_FLAGS[name]]} when 1 then 'true' else 'false' end`;
    return only({ ...indexedMeaning('text', scope, name, 'values'), fold: foldFlag, text });
  }),
  ...entries(Object.keys(INDEXED_NUMBERS) as (keyof typeof INDEXED_NUMBERS)[], (name, { scope }) =>
    only({ ...indexedMeaning('number', scope, name, 'none'), ...numberOf(passes[INDEXED_NUMBERS[name]]) }),
  ),
  ...entries(Object.keys(INDEXED_DATES) as (keyof typeof INDEXED_DATES)[], (name, { ctx, scope }) => {
    const point = sql`${passes[INDEXED_DATES[name]]}`;
    return only({ ...indexedMeaning('date', scope, name, 'none'), timezone: ctx.account.timezone, point });
  }),
  modifiedOn: ({ ctx }) => columnDate(ctx, sql`${passes.modifiedAt}`),
  lastUsage: ({ ctx }) => columnDate(ctx, sql`${passes.lastUsageAt}`),
  firstDownloadedAt: ({ ctx }) => columnDate(ctx, sql`${passes.firstDownloadedAt}`),
  downloadEnabledUntil: ({ ctx }) => columnDate(ctx, sql`${passes.downloadEnabledUntilAt}`),
  numberOfActive: () => columnNumber(sql`${passes.numberOfActive}`),
  numberOfInactive: () => columnNumber(sql`${passes.numberOfInactive}`),
  numberOfPrinted: () => columnNumber(sql`${passes.numberOfPrinted}`),
  active: () => {
    const holds = sql`${passes.numberOfActive} > 0`;
    const text = sql`case when ${holds} then 'true' else 'false' end`;
    return only({ ...meaningOf('text'), fold: foldFlag, text, column: { rows: 'true', holds } });
  },
  downloadPage: ({ ctx }) => pageLink(ctx),
  linkToPassPage: ({ ctx }) => pageLink(ctx),
  passFileUri: ({ ctx }) => fileLink(ctx),
  urlToThumbnail: ({ ctx }) => imageAddress(ctx, 'thumbnail'),
  urlToBackground: ({ ctx }) => imageAddress(ctx, 'background'),
  urlToLogo: ({ ctx }) => imageAddress(ctx, 'logo'),
};

/** Returns whether a name means a built-in field, also if a property has the same name. */
export const isBuiltInField = (name: string) => Object.hasOwn(BUILT_IN, name);

/** Members of a row that are structures. They hide properties of the same name, and aren't fields. */
const STRUCTURES = new Set(['locations', 'placesUsedAt', 'importErrors', 'localizedBackgroundImages']);

function entries<N extends string>(
  names: readonly N[],
  make: (name: N, context: FieldContext) => Field,
): Record<string, FieldBuilder> {
  return Object.fromEntries(names.map((name) => [name, (context: FieldContext) => make(name, context)]));
}

/**
 * Resolves a field name in a scope: a built-in field, or with `definitions` (by template) an additional property by ID
 * or name. Undefined for an unknown field. A property may have another ID or type in each template.
 */
export function resolveField(
  ctx: AccountContext,
  scope: Scope,
  definitions: Map<string, StoredDefinition[]> | undefined,
  name: string,
): Field | undefined {
  if (isBuiltInField(name)) return BUILT_IN[name]!({ ctx, scope });
  if (STRUCTURES.has(name)) return undefined;
  const meanings = [...(definitions ?? [])].flatMap(([templateId, versions]) => {
    const property = findProperty(versions, name);
    if (!property) return [];
    const meaning = propertyMeaning(property, templateId);
    return scope.templates.length > 1 ? [{ ...meaning, templateId }] : [meaning];
  });
  return meanings.length > 0 ? { meanings } : undefined;
}

function findProperty(versions: StoredDefinition[], name: string) {
  const all = versions.flatMap(({ additionalProperties }) => additionalProperties);
  return all.find(({ id }) => id === name) ?? all.find((property) => property.name === name);
}

const PROPERTY_KINDS: Partial<Record<AdditionalProperty['type'], Kind>> = {
  number: 'number',
  date: 'date',
  datetime: 'date',
};

function propertyMeaning({ id, type }: { id: string; type: AdditionalProperty['type'] }, templateId: string): Meaning {
  const words = { scope: templateScope(templateId), code: codeOf(id), isExact: true, texts: 'phrases' as const };
  const meaning: Meaning = { ...storedMeaning(PROPERTY_KINDS[type] ?? 'text', storedProperty(id)), words };
  return type === 'checkbox' ? { ...meaning, fold: foldFlag } : meaning;
}

interface IndexedOptions {
  isList?: boolean;
  /** Field whose words may hold values of this one. */
  elsewhere?: string;
}

function indexedField(
  name: string,
  kind: Kind,
  { account }: Scope,
  value: StoredValue,
  { isList = false, elsewhere }: IndexedOptions = {},
): Field {
  const texts = isList ? ('values' as const) : ('phrases' as const);
  const words = {
    ...{ scope: account, code: codeOf(name), isExact: false, texts },
    elsewhere: elsewhere && codeOf(elsewhere),
  };
  return only({ ...storedMeaning(kind, value), words, isList });
}

function storedMeaning(kind: Kind, { text, number, date }: StoredValue): Omit<Meaning, 'words'> {
  return { ...meaningOf(kind), text, point: kind === 'text' ? undefined : kind === 'number' ? number : date };
}

function indexedMeaning(kind: Kind, { builtIn }: Scope, name: string, texts: 'none' | 'values'): Meaning {
  const words = { ...builtIn, code: codeOf(name), texts };
  return { ...meaningOf(kind), words };
}

const only = (meaning: Meaning): Field => ({ meanings: [meaning] });

/** Returns a meaning without an index. */
export function meaningOf(kind: Kind): Meaning {
  return { kind, fold, timezone: 'UTC' };
}

/** Folds `1` and `0` to `true` and `false`. */
function foldFlag(text: string): string {
  const folded = fold(text);
  return own(FLAGS, folded) ?? folded;
}

const FLAGS: Record<string, string> = { '1': 'true', '0': 'false' };

/** Returns a number and its text. */
function numberOf(column: SQL.Aliased | typeof passes.storedValue | SQL): Pick<Meaning, 'text' | 'point'> {
  return { point: sql`${column}`, text: numberText(sql`${column}`) };
}

function columnDate({ account }: AccountContext, column: SQL): Field {
  const { timezone } = account;
  return only({ ...meaningOf('date'), timezone, point: column, column: { rows: 'values', column } });
}

function columnNumber(column: SQL): Field {
  return only({ ...meaningOf('number'), ...numberOf(column), column: { rows: 'positive', column } });
}

/** Links are case-sensitive, because their tokens are. */
function linkField(link: LinkText, equals: (text: string, operands: Operands) => SQL): Field {
  return only({ ...meaningOf('text'), fold: (operand) => operand, link, column: { rows: 'unique', equals } });
}

function imageAddress({ baseUrl }: AccountContext, role: 'thumbnail' | 'background' | 'logo'): Field {
  const digest = sql`(${passes.appearance} ->> ${sql.raw(`'$.images.${role}.sha256'`)})`;
  return only({ ...meaningOf('text'), text: sql`(${literal(fold(`${baseUrl}/images/`))} || ${digest})` });
}

function pageLink({ baseUrl }: AccountContext): Field {
  const before = baseUrl + pathOfPage('');
  const ofBundle = sql`substr(${passes.bundlePageToken}, 1, ${sql.raw(String(DIGEST_CHARS))})`;
  const kept = sql`coalesce(${ofBundle}, ${passes.pageToken})`;
  return linkField({ before: literal(before), after: '', kept }, (text, operands) => {
    if (!text.startsWith(before)) return sql`false`;
    const wanted = operands.list(formsOf(text.slice(before.length)));
    const bundle = sql`select ${bundleLinks.accountId}, ${bundleLinks.bundleId} from ${bundleLinks} where ${bundleLinks.pageToken} in ${wanted}`;
    return sql`(${passes.pageToken} in ${wanted} or (${passes.accountId}, ${passes.bundleId}) in (${bundle}))`;
  });
}

function fileLink({ baseUrl }: AccountContext): Field {
  const mark = ' ';
  const [before = '', between = '', after = ''] = (baseUrl + pathOfFile(mark, mark, 'pkpass')).split(mark);
  const start = sql`(${literal(before)} || ${passes.id} || ${literal(between)})`;
  return linkField({ before: start, after, kept: sql`${passes.fileToken}` }, (operand, operands) => {
    if (!operand.startsWith(before)) return sql`false`;
    return sql`${passes.id} = ${operands.one(operand.slice(before.length).split(between)[0]!)}`;
  });
}

function literal(text: string): SQL {
  return sql.raw(`'${text.replaceAll("'", "''")}'`);
}

function flightKind(name: string): Kind {
  if (/Time$/.test(name)) return 'date';
  return name === 'flightNumber' ? 'number' : 'text';
}
