import { type SQL, sql } from 'drizzle-orm';
import { ALWAYS_PRESENT, INDEXED_FLAGS } from '../passes/search-index/pass-document.ts';
import {
  codeOf,
  GRAM_CHARS,
  gramPrefix,
  gramTerms,
  hexOf,
  innerGramTerms,
  overflowTerm,
  presenceTerm,
  termBytesMax,
  textTerm,
} from '../passes/search-index/search-terms.ts';
import type { Interval } from './intervals.ts';

/** The words of one field in one scope, by which the index finds texts. */
export interface TextWords {
  scope: string;
  code: string;
  /** Account scope in which phrases are indexed; absent if those of the field aren't. */
  gramScope?: string;
  /** Maximum number of words for one text. */
  wordsMax: number;
}

/** First and last of a range of words. */
export type Span = [first: string, last: string];

/** An FTS5 expression that finds the wanted passes, and maybe more. */
export interface TextExpression {
  match: string;
  /** Number of its words, which determines the cost to start it. */
  words: number;
  /** Whether it finds no other passes. */
  isExact: boolean;
  /** Whether the words belong to this field; otherwise any text of the account may have them. */
  isOwn: boolean;
  /** Ranges of words; each found pass has exactly one word in them. */
  spans?: Span[];
  /** Ranges of words to subtract: each pass in `spans` that isn't found has exactly one word in them. */
  excludedSpans?: Span[];
}

/** An operator of a condition. A new operator needs only an entry in `OPERATORS`. */
export interface Operator {
  /** Whether it needs a value. */
  takesValue: boolean;
  /** The operator of which this one is the negation. */
  negates?: Operator;
  /** Texts: builds the condition on `value`, which is false or null for a missing value. */
  text?(value: SQL, operand: SQL): SQL;
  /** Texts: finds them in the index; absent: it can't. */
  find?(words: TextWords, operand: string): TextExpression | undefined;
  /** Whether `find` looks for the presence of a value, not for a text. */
  isPresence?: boolean;
  /** Texts: operands to use in place of a value. */
  texts?: string[];
  /** Texts: whether it compares their order. */
  isOrder?: boolean;
  /** Whether `text` tests for equality, for which other indexes can be used. */
  isEquality?: boolean;
  /** Whether it selects the true ones of boolean values. */
  isTruth?: boolean;
  /** Numbers and dates: returns the intervals that an operand selects. Absent: the operator is for texts only. */
  intervals?(operand: Interval): Interval[];
  /** Numbers and dates that are also texts are compared as texts. */
  prefersText?: boolean;
  /** Whether the operand may be the start of a date, such as a year. */
  takesBeginning?: boolean;
  /** Whether it can't be used with dates. */
  isNotForDates?: boolean;
}

const equality = {
  isEquality: true,
  text: (value: SQL, operand: SQL) => sql`${value} = ${operand}`,
  find: ({ scope, code }: TextWords, operand: string) =>
    hexOf(operand).length < 2 * termBytesMax(code)
      ? oneWord(textTerm(scope, code, operand), true)
      : { ...findBeginning(scope, code, operand), isExact: false, spans: undefined },
} satisfies Partial<Operator>;

const FALSE_TEXTS = ['false', '0'];
const FLAG_CODES = new Set(Object.keys(INDEXED_FLAGS).map(codeOf));

/** Selects values that aren't false; `isFalse` selects all others, including passes without a value. */
const isNotFalse: Operator = {
  takesValue: false,
  texts: [''],
  isTruth: true,
  text: (value) => sql`${value} not in ('false', '0')`,
  find: ({ scope, code }) =>
    FLAG_CODES.has(code) ? oneWord(textTerm(scope, code, 'true'), true) : notFalse(scope, code),
  intervals: () => [{ to: BESIDE_ZERO }, { from: BESIDE_ZERO }],
  isNotForDates: true,
};

function notFalse(scope: string, code: string): TextExpression | undefined {
  if (ALWAYS_PRESENT.has(code)) return undefined;
  const word = presenceTerm(scope, code);
  const others = FALSE_TEXTS.map((text) => textTerm(scope, code, text));
  return {
    match: `(${[word, ...others].join(' NOT ')})`,
    words: 1 + others.length,
    isExact: true,
    isOwn: true,
    spans: [[word, word]],
    excludedSpans: others.map((other) => [other, other]),
  };
}
const equals: Operator = { ...equality, takesValue: true, intervals: (operand) => [operand] };

const contains: Operator = {
  takesValue: true,
  text: (value, operand) => sql`instr(${value}, ${operand}) > 0`,
  find: ({ gramScope, wordsMax }, operand) =>
    gramScope && operand ? findPhrase(gramScope, operand, wordsMax) : undefined,
};

const notEmpty: Operator = {
  takesValue: false,
  text: (value) => sql`${value} is not null`,
  find: ({ scope, code }) => (ALWAYS_PRESENT.has(code) ? undefined : oneWord(presenceTerm(scope, code), true)),
  isPresence: true,
  intervals: () => [{}],
  prefersText: true,
};

export const OPERATORS: Record<string, Operator> = {
  equals,
  notEquals: { takesValue: true, negates: equals },
  contains,
  doesNotContain: { takesValue: true, negates: contains },
  beginsWith: {
    takesValue: true,
    text: (value, operand) => sql`instr(${value}, ${operand}) = 1`,
    find: ({ scope, code }, operand) => findBeginning(scope, code, operand),
    intervals: (operand) => [operand],
    prefersText: true,
    takesBeginning: true,
  },
  endsWith: {
    takesValue: true,
    // No text contains a line break, so an appended one marks the end.
    text: (value, operand) => sql`instr(${value} || char(10), ${operand} || char(10)) > 0`,
    find: ({ gramScope, wordsMax }, operand) =>
      gramScope && operand ? findAll(gramScope, gramTerms(gramScope, operand), wordsMax) : undefined,
  },
  greaterThan: order('>', ({ to }) => [{ from: to && { value: to.value, open: !to.open } }]),
  greaterThanOrEquals: order('>=', ({ from }) => [{ from }]),
  lowerThan: order('<', ({ from }) => [{ to: from && { value: from.value, open: !from.open } }]),
  lowerThanOrEquals: order('<=', ({ to }) => [{ to }]),
  notEmpty,
  empty: { takesValue: false, negates: notEmpty },
  isTrue: {
    ...equality,
    takesValue: false,
    texts: ['true', '1'],
    intervals: () => [{ to: BESIDE_ZERO }, { from: BESIDE_ZERO }],
    isNotForDates: true,
  },
  isFalse: { takesValue: false, negates: isNotFalse, isNotForDates: true },
};

/** Creates an operator that compares the order of values. */
function order(symbol: '>' | '>=' | '<' | '<=', intervals: NonNullable<Operator['intervals']>): Operator {
  const isBeyond = symbol.startsWith('>') ? isGreater : isLower;
  return {
    takesValue: true,
    isOrder: true,
    text: (value, operand) => sql`${value} ${sql.raw(symbol)} ${operand}`,
    find: (words, operand) => findBeyond(words, operand, isBeyond),
    intervals,
  };
}

function isGreater(digit: string, bound: string): boolean {
  return digit > bound;
}

function isLower(digit: string, bound: string): boolean {
  return digit < bound;
}

const BESIDE_ZERO = { value: 0, open: true };

/** Alternative spellings in the API contract. */
const OTHER_SPELLINGS: Record<string, string> = { doesNotEqual: 'notEquals', emtpy: 'empty' };

/** Returns the operator of this name, or undefined. */
export function operatorOf(name: string): Operator | undefined {
  const spelled = Object.hasOwn(OTHER_SPELLINGS, name) ? OTHER_SPELLINGS[name]! : name;
  return Object.hasOwn(OPERATORS, spelled) ? OPERATORS[spelled] : undefined;
}

function oneWord(word: string, isExact: boolean): TextExpression {
  return { match: word, words: 1, isExact, isOwn: true, spans: isExact ? [[word, word]] : undefined };
}

function findBeginning(scope: string, code: string, operand: string): TextExpression {
  const word = textTerm(scope, code, operand);
  const isExact = hexOf(operand).length <= 2 * termBytesMax(code);
  // A `z` sorts after every hexadecimal digit.
  return { match: `${word} *`, words: 1, isExact, isOwn: true, spans: isExact ? [[word, `${word}z`]] : undefined };
}

/** Maximum number of grams in an expression: more make it slower to start and hardly find fewer passes. */
const GRAMS_ASKED_MAX = 40;

/** Finds the texts of an account that may contain a phrase. */
export function findPhrase(scope: string, folded: string, wordsMax = GRAMS_ASKED_MAX + 1): TextExpression {
  const isShort = Array.from(folded).length < GRAM_CHARS;
  return findAll(scope, isShort ? [`${gramPrefix(scope, folded)} *`] : innerGramTerms(scope, folded), wordsMax);
}

/** Finds the texts that may contain all the grams. */
export function findAll(scope: string, grams: string[], wordsMax = GRAMS_ASKED_MAX + 1): TextExpression {
  const every = Math.ceil(grams.length / Math.max(1, Math.min(GRAMS_ASKED_MAX, wordsMax - 1)));
  const sampled = grams.filter((_, i) => i % every === 0);
  return {
    match: `((${sampled.join(' AND ')}) OR ${overflowTerm(scope)})`,
    words: sampled.length + 1,
    isExact: false,
    isOwn: false,
  };
}

/**
 * Digits of a text that an ordering operator compares in the index; candidates with the same digits are compared in
 * full.
 */
const ORDER_DIGITS_MAX = 16;

/** Finds the texts on one side of the operand, and those that start like it. */
function findBeyond(
  { scope, code }: TextWords,
  operand: string,
  isBeyond: (digit: string, bound: string) => boolean,
): TextExpression {
  const bound = hexOf(operand).slice(0, ORDER_DIGITS_MAX);
  const before = textTerm(scope, code, '');
  const words = [`${before}${bound} *`];
  for (let at = 0; at < bound.length; at++) {
    for (const digit of '0123456789abcdef') {
      if (isBeyond(digit, bound[at]!)) words.push(`${before}${bound.slice(0, at)}${digit} *`);
    }
    // A text that ends here sorts before all that continue.
    if (isBeyond('', bound[at]!)) words.push(`${before}${bound.slice(0, at)}`);
  }
  return { match: `(${words.join(' OR ')})`, words: words.length, isExact: false, isOwn: true };
}
