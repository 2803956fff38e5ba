import { parseDate, parseDateTime } from '../../../platform/dates.ts';
import type { Pass } from '../table.ts';
import { FLIGHT_FIELD_NAMES, PASS_COLORS } from '../values/pass-fields.ts';
import { isPlainDate, isPlainFold, isPlainText, plainNumber } from './plain-values.ts';
import {
  accountScope,
  accountTerm,
  codeOf,
  fold,
  gramTerms,
  overflowTerm,
  POINT_PRECISIONS,
  type PointKind,
  pointBits,
  pointDigits,
  pointTerm,
  presenceTerm,
  templateScope,
  templateTerm,
  textTerm,
} from './search-terms.ts';

/** Searched texts of a pass, by field. */
export const INDEXED_TEXTS = {
  identifier: 'id',
  userProvidedId: 'userProvidedId',
  barcodeValue: 'barcodeValue',
  generatedId: 'generatedId',
  bundleId: 'bundleId',
  groupingIdentifier: 'groupingIdentifier',
  emailRecipient: 'emailRecipient',
  phoneRecipient: 'phoneRecipient',
  barcodeAlternativeText: 'barcodeAlternativeText',
  downloadPin: 'downloadPin',
} as const satisfies Record<string, keyof Pass>;

/** Fields that share another field's words. Most passes show their generatedId as the barcode value. */
export const WORDS_ELSEWHERE: Partial<Record<keyof typeof INDEXED_TEXTS, string>> = { barcodeValue: 'generatedId' };

/** Colors of a pass, searched as texts. */
export const INDEXED_COLORS = PASS_COLORS;

/** Searched lists of texts. A condition holds if it holds for one of the texts. */
export const INDEXED_LISTS = ['eligibleValidationPlaces'] as const;

/** Columns searched as `true` and `false`. */
export const INDEXED_FLAGS = { voided: 'voided', redeemed: 'redeemed' } as const satisfies Record<string, keyof Pass>;

/** Columns searched as numbers. */
export const INDEXED_NUMBERS = { storedValue: 'storedValue' } as const satisfies Record<string, keyof Pass>;

/** Columns searched as dates; UTC milliseconds. */
export const INDEXED_DATES = {
  createdOn: 'createdAt',
  expirationDate: 'expirationAt',
  relevantDate: 'relevantAt',
  validAsOfDate: 'validAsOfAt',
} as const satisfies Record<string, keyof Pass>;

/** Columns that a document depends on, besides the searched members of `appearance`. */
export const INDEXED_COLUMNS: (keyof Pass)[] = [
  'accountId',
  'templateId',
  'properties',
  'flight',
  ...Object.values({ ...INDEXED_TEXTS, ...INDEXED_FLAGS, ...INDEXED_NUMBERS, ...INDEXED_DATES }),
];

/** Returns the members of a pass's appearance that a document depends on. */
export function indexedAppearance({ appearance }: Pick<Pass, 'appearance'>) {
  return { colors: appearance.colors ?? {}, places: appearance.eligibleValidationPlaces ?? [] };
}

const REQUIRED_FIELDS = ['identifier', 'barcodeValue', 'generatedId', 'createdOn', ...Object.keys(INDEXED_FLAGS)];
/** Codes of fields that have a value in every pass. */
export const ALWAYS_PRESENT = new Set(REQUIRED_FIELDS.map(codeOf));

/** Pass to index. Its barcode value is null while it is unknown. */
export type IndexedPass = Omit<Pass, 'barcodeValue'> & { barcodeValue: string | null };

/** Search index data of a pass: its words, and the values that SQL can't compute from its row. */
export interface PassDocument {
  terms: string[];
  /** By field code; see `stored-values.ts`. */
  folded: Record<string, FoldedValue>;
}

/**
 * Value as search compares it: the folded text (for a list, JSON with folded texts), and the number and date in it, if
 * any. Dates are UTC milliseconds of the wall clock.
 */
export type FoldedValue = [text: string, number?: number | null, date?: number];

/** Returns the value of the column `folded_values` for a document; null if it has none. */
export function foldedValues({ folded }: PassDocument): string | null {
  return Object.keys(folded).length > 0 ? JSON.stringify(folded) : null;
}

/** Same for a stored pass. `{}` instead of null marks a document of an earlier release as outdated. */
export function changedFoldedValues(document: PassDocument): string {
  return foldedValues(document) ?? '{}';
}

/** A pass with more grams becomes a candidate for every phrase. D1 binds 2 MB; a gram's word has 20 characters. */
const GRAMS_MAX = 20_000;

/** Builds the search document of a pass. It depends only on the pass; types of properties are applied by the search. */
export function documentOf(pass: IndexedPass): PassDocument {
  const builder = new Builder(pass);
  const { colors, places } = indexedAppearance(pass);
  const properties = Object.entries(pass.properties);
  for (const [id, value] of properties) {
    if (typeof value === 'boolean') builder.addFlag(codeOf(id), value);
  }
  builder.addList(codeOf('eligibleValidationPlaces'), places);
  for (const [name, column] of Object.entries(INDEXED_TEXTS)) {
    const isElsewhere = column === 'barcodeValue' && pass.barcodeValue === pass.generatedId;
    builder.addText(codeOf(name), pass[column], { isElsewhere });
  }
  for (const name of INDEXED_COLORS) builder.addText(codeOf(name), colors[name]);
  for (const name of FLIGHT_FIELD_NAMES) builder.addText(codeOf(name), pass.flight?.[name], { points: true });
  for (const [id, value] of properties) {
    if (typeof value !== 'boolean') builder.addText(codeOf(id), value, { points: true, ofTemplate: true });
  }
  for (const [name, column] of Object.entries(INDEXED_FLAGS)) builder.addWord(codeOf(name), String(pass[column]));
  for (const [name, column] of Object.entries(INDEXED_NUMBERS)) {
    builder.addPoint('number', codeOf(name), pass[column]);
    if (pass[column] !== null) builder.addPhrase(codeOf(name), pass[column]);
  }
  for (const [name, column] of Object.entries(INDEXED_DATES)) builder.addPoint('date', codeOf(name), pass[column]);
  return builder.build();
}

interface TextOptions {
  /** Whether the text may be a number or a date. */
  points?: boolean;
  /** Whether only queries that name the template can name the field. */
  ofTemplate?: boolean;
  /** Whether another field has the same value and its word (`WORDS_ELSEWHERE`). */
  isElsewhere?: boolean;
}

class Builder {
  #account: string;
  #template: string;
  #terms: Set<string>;
  #grams = new Set<string>();
  #folded: PassDocument['folded'] = {};

  constructor({ accountId, templateId }: IndexedPass) {
    this.#account = accountScope(accountId);
    this.#template = templateScope(templateId);
    this.#terms = new Set([accountTerm(accountId), templateTerm(templateId)]);
  }

  addText(code: string, value: string | number | null | undefined, options: TextOptions = {}): void {
    if (value === null || value === undefined) return;
    const written = String(value);
    const text = fold(written);
    const scope = options.ofTemplate ? this.#template : this.#account;
    if (!options.isElsewhere) this.#addValue(scope, code, text);
    this.#addGrams(text);
    const number = options.points ? numberOf(text) : null;
    const date = options.points ? dateOf(text) : null;
    this.#addPoint('number', code, number, [scope]);
    this.#addPoint('date', code, date, [scope]);
    const isPlain =
      isPlainFold(written, text) &&
      (!options.points || (number === plainNumber(written) && isPlainDate(written, date)));
    if (!isPlain) this.#folded[code] = [text, ...readings(number, date)];
  }

  /** Adds a boolean property. Phrases don't find it. */
  addFlag(code: string, value: boolean): void {
    this.#addValue(this.#template, code, String(value));
  }

  /** Adds a list of texts with a word each. Phrases don't find them. */
  addList(code: string, texts: string[]): void {
    if (texts.length === 0) return;
    const folded = texts.map(fold);
    for (const text of folded) this.#addValue(this.#account, code, text);
    const [written, wanted] = [JSON.stringify(texts), JSON.stringify(folded)];
    if (!isPlainFold(written, wanted)) this.#folded[code] = [wanted];
  }

  /** Adds a number that phrases find too. */
  addPhrase(code: string, value: number): void {
    const text = fold(String(value));
    this.#addGrams(text);
    if (!isPlainText(value)) this.#folded[code] = [text];
  }

  /** Adds a short text that needs no folded value. */
  addWord(code: string, text: string): void {
    for (const scope of this.#scopes) this.#terms.add(textTerm(scope, code, text));
  }

  addPoint(kind: PointKind, code: string, value: number | null): void {
    if (value === null) return;
    this.#addPresence(code, this.#scopes);
    this.#addPoint(kind, code, value, this.#scopes);
  }

  build(): PassDocument {
    const grams = [...this.#grams];
    const overflow = grams.length > GRAMS_MAX ? [overflowTerm(this.#account)] : [];
    return {
      terms: [...this.#terms, ...grams.slice(0, GRAMS_MAX), ...overflow],
      folded: this.#folded,
    };
  }

  #addGrams(text: string): void {
    for (const gram of gramTerms(this.#account, text)) this.#grams.add(gram);
  }

  /** Most texts occur in a single pass and take the most space, so they are indexed in one scope only. */
  #addValue(scope: string, code: string, text: string): void {
    this.#terms.add(textTerm(scope, code, text));
    this.#addPresence(code, [scope]);
  }

  #addPresence(code: string, scopes: string[]): void {
    if (ALWAYS_PRESENT.has(code)) return;
    for (const scope of scopes) this.#terms.add(presenceTerm(scope, code));
  }

  #addPoint(kind: PointKind, code: string, value: number | null, scopes: string[]): void {
    if (value === null) return;
    const digits = pointDigits(pointBits(value));
    for (const scope of scopes) {
      for (const precision of POINT_PRECISIONS) this.#terms.add(pointTerm(kind, precision, scope, code, digits));
    }
  }

  get #scopes(): string[] {
    return [this.#account, this.#template];
  }
}

/** Line that ends the values hidden from phrases, in documents of earlier releases. */
export const HIDDEN_END = '\u0002';

/** Returns the number and date of a text, without trailing nulls. */
function readings(number: number | null, date: number | null): [number?: number | null, date?: number] {
  if (date !== null) return [number, date];
  return number === null ? [] : [number];
}

function numberOf(text: string): number | null {
  const trimmed = text.trim();
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

function dateOf(folded: string): number | null {
  const text = folded.replace('t', 'T');
  return parseDateTime(text, 'UTC') ?? parseDate(text, 'UTC') ?? null;
}
