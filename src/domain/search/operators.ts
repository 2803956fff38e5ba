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

/** The words by which the index finds texts of one field in one scope. */
export interface TextWords {
  scope: string;
  code: string;
  /** The account, in whose scope phrases are indexed; absent when those of the field are not. */
  gramScope?: string;
  /** Words that one text may take. */
  wordsMax: number;
}

/** First and last of a range of words. */
export type Span = [first: string, last: string];

/** An expression of the index that finds what is wanted, and maybe more. */
export interface Found {
  match: string;
  /** Words in it, which is what it costs to start. */
  words: number;
  /** Whether it finds nothing else. */
  isExact: boolean;
  /** Whether the words are the field's own; otherwise any text of the account may have them. */
  isOwn: boolean;
  /** Ranges of words of which what is found has exactly one. */
  spans?: Span[];
  /** Ranges of words of which every pass with one of `spans` that is not found has exactly one. */
  without?: Span[];
}

/** What an operator does. A new one is one entry here. */
export interface Operator {
  /** Whether a value stands beside it. */
  takesValue: boolean;
  /** Selects exactly the passes that this operator does not. */
  negates?: Operator;
  /** Texts: whether `value` is selected, as SQL that is false or null for a missing one. */
  text?(value: SQL, operand: SQL): SQL;
  /** Texts: where the index finds them; absent: nowhere. */
  find?(words: TextWords, operand: string): Found | undefined;
  /** Whether `find` asks only for a value, not for a text. */
  isPresence?: boolean;
  /** Texts: what is compared with in place of a value. */
  texts?: string[];
  /** Texts: whether it asks which of two comes first. */
  isOrder?: boolean;
  /** Whether `text` is equality, which other indexes can help with. */
  isEquality?: boolean;
  /** Selects what is true of values that are only true or false. */
  isTruth?: boolean;
  /** Numbers and dates: what is selected by an operand. Absent: the operator is for texts. */
  intervals?(operand: Interval): Interval[];
  /** Numbers and dates that are also texts are compared as texts. */
  prefersText?: boolean;
  /** The operand may be the beginning of a date. */
  takesBeginning?: boolean;
  /** Dates have no such thing. */
  notForDates?: boolean;
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

/** A value that is not false; `isFalse` selects all others, also passes without a value. */
const isNotFalse: Operator = {
  takesValue: false,
  texts: [''],
  isTruth: true,
  text: (value) => sql`${value} not in ('false', '0')`,
  find: ({ scope, code }) =>
    FLAG_CODES.has(code) ? oneWord(textTerm(scope, code, 'true'), true) : notFalse(scope, code),
  intervals: () => [{ to: BESIDE_ZERO }, { from: BESIDE_ZERO }],
  notForDates: true,
};

function notFalse(scope: string, code: string): Found | undefined {
  if (ALWAYS_PRESENT.has(code)) return undefined;
  const word = presenceTerm(scope, code);
  const others = FALSE_TEXTS.map((text) => textTerm(scope, code, text));
  return {
    match: `(${[word, ...others].join(' NOT ')})`,
    words: 1 + others.length,
    isExact: true,
    isOwn: true,
    spans: [[word, word]],
    without: others.map((other) => [other, other]),
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
    // No text has a line break, so one behind both marks the end.
    text: (value, operand) => sql`instr(${value} || char(10), ${operand} || char(10)) > 0`,
    find: ({ gramScope, wordsMax }, operand) =>
      gramScope && operand ? findAll(gramScope, gramTerms(gramScope, operand), wordsMax) : undefined,
  },
  greaterThan: {
    takesValue: true,
    isOrder: true,
    text: (value, operand) => sql`${value} > ${operand}`,
    find: (words, operand) => findBeyond(words, operand, (digit, bound) => digit > bound),
    intervals: ({ to }) => [{ from: to && { value: to.value, open: !to.open } }],
  },
  greaterThanOrEquals: {
    takesValue: true,
    isOrder: true,
    text: (value, operand) => sql`${value} >= ${operand}`,
    find: (words, operand) => findBeyond(words, operand, (digit, bound) => digit > bound),
    intervals: ({ from }) => [{ from }],
  },
  lowerThan: {
    takesValue: true,
    isOrder: true,
    text: (value, operand) => sql`${value} < ${operand}`,
    find: (words, operand) => findBeyond(words, operand, (digit, bound) => digit < bound),
    intervals: ({ from }) => [{ to: from && { value: from.value, open: !from.open } }],
  },
  lowerThanOrEquals: {
    takesValue: true,
    isOrder: true,
    text: (value, operand) => sql`${value} <= ${operand}`,
    find: (words, operand) => findBeyond(words, operand, (digit, bound) => digit < bound),
    intervals: ({ to }) => [{ to }],
  },
  notEmpty,
  empty: { takesValue: false, negates: notEmpty },
  isTrue: {
    ...equality,
    takesValue: false,
    texts: ['true', '1'],
    intervals: () => [{ to: BESIDE_ZERO }, { from: BESIDE_ZERO }],
    notForDates: true,
  },
  isFalse: { takesValue: false, negates: isNotFalse, notForDates: true },
};

const BESIDE_ZERO = { value: 0, open: true };

/** Other spellings, which the contract accepts. */
const OTHER_SPELLINGS: Record<string, string> = { doesNotEqual: 'notEquals', emtpy: 'empty' };

/** The operator of a name, or undefined. */
export function operatorOf(name: string): Operator | undefined {
  const spelled = Object.hasOwn(OTHER_SPELLINGS, name) ? OTHER_SPELLINGS[name]! : name;
  return Object.hasOwn(OPERATORS, spelled) ? OPERATORS[spelled] : undefined;
}

function oneWord(word: string, isExact: boolean): Found {
  return { match: word, words: 1, isExact, isOwn: true, spans: isExact ? [[word, word]] : undefined };
}

function findBeginning(scope: string, code: string, operand: string): Found {
  const word = textTerm(scope, code, operand);
  const isExact = hexOf(operand).length <= 2 * termBytesMax(code);
  // Hexadecimal digits are followed by nothing above them.
  return { match: `${word} *`, words: 1, isExact, isOwn: true, spans: isExact ? [[word, `${word}z`]] : undefined };
}

/** Grams that are asked for at most: more make the start slower and hardly find fewer. */
const GRAMS_ASKED_MAX = 40;

/** Where a phrase may stand in any text of an account. */
export function findPhrase(scope: string, folded: string, wordsMax = GRAMS_ASKED_MAX + 1): Found {
  const isShort = Array.from(folded).length < GRAM_CHARS;
  return findAll(scope, isShort ? [`${gramPrefix(scope, folded)} *`] : innerGramTerms(scope, folded), wordsMax);
}

/** Where texts may stand that have all of the grams. */
export function findAll(scope: string, grams: string[], wordsMax = GRAMS_ASKED_MAX + 1): Found {
  const every = Math.ceil(grams.length / Math.max(1, Math.min(GRAMS_ASKED_MAX, wordsMax - 1)));
  const asked = grams.filter((_, i) => i % every === 0);
  return {
    match: `((${asked.join(' AND ')}) OR ${overflowTerm(scope)})`,
    words: asked.length + 1,
    isExact: false,
    isOwn: false,
  };
}

/** Digits of a text that an ordering operator looks at; candidates that are alike in these are compared in full. */
const ORDER_DIGITS_MAX = 16;

/** The texts that sort on one side of the operand, with those that begin as it does. */
function findBeyond(
  { scope, code }: TextWords,
  operand: string,
  isBeyond: (digit: string, bound: string) => boolean,
): Found {
  const bound = hexOf(operand).slice(0, ORDER_DIGITS_MAX);
  const before = textTerm(scope, code, '');
  const words = [`${before}${bound} *`];
  for (let at = 0; at < bound.length; at++) {
    for (const digit of '0123456789abcdef') {
      if (isBeyond(digit, bound[at]!)) words.push(`${before}${bound.slice(0, at)}${digit} *`);
    }
    // A text that ends here sorts below all that go on.
    if (isBeyond('', bound[at]!)) words.push(`${before}${bound.slice(0, at)}`);
  }
  return { match: `(${words.join(' OR ')})`, words: words.length, isExact: false, isOwn: true };
}
