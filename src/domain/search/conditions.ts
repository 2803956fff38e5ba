import { type SQL, sql } from 'drizzle-orm';
import { invalidField } from '../errors.ts';
import { ALWAYS_PRESENT } from '../passes/search-index/pass-document.ts';
import {
  POINT_PRECISIONS,
  type PointKind,
  type PointPrecision,
  pointTerm,
  presenceTerm,
} from '../passes/search-index/search-terms.ts';
import type { Meaning } from './fields.ts';
import {
  digitPrefixes,
  type Interval,
  intersection,
  othersAbove,
  periodOf,
  pointOf,
  UP_TO_ONE,
  union,
  ZERO,
} from './intervals.ts';
import { linkHolds } from './link-texts.ts';
import { every, type Operands, some, WRITTEN_OUT_MAX } from './operands.ts';
import { type Operator, operatorOf, type Span, type TextExpression } from './operators.ts';
import type { Condition } from './query.ts';
import { anyOf } from './scope.ts';
import { NOTHING, type Selection, type WordSelection } from './selection.ts';

/** Shared state of the conditions of one query. */
export interface SearchContext {
  operands: Operands;
  gramScope: string;
}

/** Maximum number of words of one condition; with more, the condition is only checked row by row. */
const WORDS_MAX = 4_000;
const WORD_CHARS = 60;
/** Maximum number of characters of an FTS5 expression. */
export const MATCH_CHARS_MAX = WORDS_MAX * WORD_CHARS;

interface Comparison extends SearchContext {
  operator: Operator;
  operatorName: string;
  values: string[];
  refuse(what: string): Error;
}

/** Turns one condition on a field into a selection. Throws `invalid` for an unknown operator or an impossible value. */
export function select(condition: Condition, meanings: Meaning[], searchContext: SearchContext): Selection {
  const { operator: operatorName } = condition;
  const operator = operatorOf(operatorName);
  if (!operator) throw invalidField('operator', `"${operatorName}" is not an operator; use one such as "equals"`);
  return selectByOperator(operator, condition, meanings, searchContext);
}

function selectByOperator(
  operator: Operator,
  condition: Condition,
  meanings: Meaning[],
  searchContext: SearchContext,
): Selection {
  const { field, operator: operatorName, value } = condition;
  if (operator.negates) return negate(selectByOperator(operator.negates, condition, meanings, searchContext));
  if (operator.takesValue && (value === null || value === undefined))
    throw invalidField(field, `${operatorName} needs a value`);
  const values = operator.takesValue ? [value ?? []].flat() : (operator.texts ?? ['']);
  const refuse = (what: string) => invalidField(field, what);
  const comparison = { ...searchContext, operator, operatorName, values, refuse };
  return combine(
    meanings.map((meaning) => limitToTemplate(meaning, selectMeaning(meaning, comparison), searchContext)),
  );
}

function limitToTemplate({ templateId }: Meaning, selection: Selection, { operands }: SearchContext): Selection {
  if (templateId === undefined) return selection;
  const check = every([sql`passes.template_id = ${operands.one(templateId)}`, selection.check]);
  return { ...selection, check };
}

function combine(selections: Selection[]): Selection {
  const [first] = selections;
  if (first && selections.length === 1) return first;
  return {
    check: some(selections.map(({ check }) => check)),
    words: joinWords(selections.map(({ words }) => words)),
  };
}

/** Joins the words of several selections. No pass has words of more than one of them. */
function joinWords(list: (WordSelection | undefined)[]): WordSelection | undefined {
  const all = list.filter((words) => words !== undefined);
  if (all.length < list.length) return undefined;
  if (all.length < 2) return all[0] ?? NOTHING;
  const spans = all.flatMap((words) => words.spans ?? []);
  return {
    match: anyOf(all.map(({ match }) => match)),
    isExact: all.every(({ isExact }) => isExact),
    isScoped: all.every(({ isScoped }) => isScoped),
    spans: all.every((words) => words.spans) ? spans : undefined,
    excludedSpans: all.flatMap((words) => words.excludedSpans ?? []),
  };
}

function negate(opposite: Selection): Selection {
  return { check: sql`not ${opposite.check}`, opposite };
}

function selectMeaning(meaning: Meaning, comparison: Comparison): Selection {
  const { operator, operatorName, refuse } = comparison;
  if (meaning.kind === 'date' && operator.isNotForDates) throw refuse(`${operatorName} cannot be used with a date`);
  const asText = meaning.kind === 'text' || !operator.intervals || (operator.prefersText && meaning.text);
  if (!asText) return selectPoints(meaning, intervalsOf(meaning, comparison), comparison);
  if (!meaning.text && !meaning.link) throw refuse(`${operatorName} cannot be used with a date`);
  return selectTexts(meaning, comparison);
}

function selectTexts(meaning: Meaning, { operator, values, operands, gramScope }: Comparison): Selection {
  const { column } = meaning;
  const texts = [...new Set(values.map((value) => meaning.fold(value)))];
  const holds = (value: SQL) =>
    texts.length <= WRITTEN_OUT_MAX
      ? some(texts.map((text) => operator.text!(value, operands.one(text))))
      : sql`exists (select 1 from ${operands.each(texts)} as wanted where ${operator.text!(value, sql`wanted.value`)})`;
  const ofText = (text: SQL) =>
    meaning.isList
      ? sql`exists (select 1 from json_each(${text}) as item where ${holds(sql`item.value`)})`
      : holds(text);
  const check = meaning.link ? linkHolds(meaning.link, operator, texts, operands) : ofText(meaning.text!);
  const selection: Selection = {
    check: sql`coalesce(${check}, 0)`,
    words: wordsOfTexts(meaning, texts, operator, gramScope),
  };
  const isTrue = (holds: SQL): Selection => ({ check: holds, column: { holds, isExact: true } });
  if (column?.rows === 'true' && operator.isTruth) return isTrue(column.holds);
  if (!column || !operator.isEquality) return selection;
  if (column.rows === 'unique') {
    const holds = some(texts.map((text) => column.equals(text, operands)));
    return { ...selection, column: { holds, isExact: false } };
  }
  if (column.rows !== 'true') return selection;
  const all = texts.join();
  return all === 'true' ? isTrue(column.holds) : all === 'false' ? negate(isTrue(column.holds)) : selection;
}

function wordsOfTexts({ words, isList }: Meaning, texts: string[], operator: Operator, account: string) {
  const { find, isPresence } = operator;
  if (texts.length === 0) return NOTHING;
  // In a list, one text may be false and another one true.
  if (isList && operator.isTruth) return undefined;
  if (!words || !find || (words.texts === 'none' && !isPresence)) return undefined;
  const { scope, code } = words;
  const gramScope = words.texts === 'phrases' ? account : undefined;
  const wordsMax = Math.floor(WORDS_MAX / Math.max(1, texts.length));
  const found = texts.map((text) => {
    const own = find({ scope, code, gramScope, wordsMax }, text);
    if (!words.elsewhere || !own?.isOwn || !canBeGeneratedId(text, operator)) return own;
    return joinAlternatives(own, find({ scope, code: words.elsewhere, gramScope, wordsMax }, text)!);
  });
  const all = found.filter((one) => one !== undefined);
  const count = all.reduce((sum, one) => sum + one.words, 0);
  if (all.length < found.length || count > WORDS_MAX) return undefined;
  const spans = all.flatMap((one) => one.spans ?? []);
  // A pass has at most one word of a field, but several words of a list.
  const areWords = spans.every(([first, last]) => first === last);
  const areDisjoint = isList ? areWords && spans.length < 2 : all.length === 1 || areWords;
  return {
    match: anyOf(all.map(({ match }) => match)),
    isExact: all.every(({ isExact }) => isExact),
    isScoped: words.isExact && all.every(({ isOwn }) => isOwn),
    spans: areDisjoint && all.every((one) => one.spans) ? spans : undefined,
    excludedSpans: all.flatMap((one) => one.excludedSpans ?? []),
  };
}

/** Whether the operator can select a generated identifier (16 letters and digits) by this operand. */
function canBeGeneratedId(text: string, { isOrder, isEquality }: Operator): boolean {
  return isOrder || (isEquality ? /^[0-9a-z]{16}$/ : /^[0-9a-z]{1,16}$/).test(text);
}

/** Joins two expressions of which each pass matches at most one; they count as one word. */
function joinAlternatives(own: TextExpression, other: TextExpression): TextExpression {
  return { match: anyOf([own.match, other.match]), words: own.words, isExact: false, isOwn: true };
}

function intervalsOf({ kind, timezone }: Meaning, { operator, values, refuse }: Comparison): Interval[] {
  if (!operator.takesValue) return operator.intervals!({});
  return values.flatMap((text) => {
    const operand = kind === 'number' ? pointOf(text) : periodOf(text, timezone, operator.takesBeginning);
    if (operand) return operator.intervals!(operand);
    const wanted =
      kind === 'number' ? 'a number such as 12.5' : 'an existing date, such as 2026-12-24 or 2026-12-24 09:10';
    throw refuse(`"${text}" is not ${wanted}`);
  });
}

function selectPoints(meaning: Meaning, wanted: Interval[], searchContext: SearchContext): Selection {
  const { column, point } = meaning;
  const intervals = union(wanted);
  const holds = isInside(point!, intervals, searchContext.operands);
  const selection: Selection = {
    check: sql`coalesce(${holds}, 0)`,
    words: meaning.wordsOf ? meaning.wordsOf(intervals) : wordsOfIntervals(meaning, intervals),
  };
  if (column?.rows === 'values') return { ...selection, column: { holds, isExact: true } };
  if (column?.rows !== 'positive') return selection;
  // Counts are never negative, and the index holds only those above zero. Intervals that include zero are found through
  // their complement.
  if (intervals.some((interval) => intersection(interval, ZERO))) {
    return { ...selection, opposite: selectPoints(meaning, othersAbove(intervals), searchContext) };
  }
  // Repeats the conditions of the partial indexes. One index holds only passes on several devices.
  const areAboveOne = intervals.every((interval) => !intersection(interval, UP_TO_ONE));
  const least = [sql`${column.column} > 0`, ...(areAboveOne ? [sql`${column.column} > 1`] : [])];
  return { ...selection, column: { holds: every([...least, holds]), isExact: true } };
}

/** Returns the coarsest precision that can represent these digits. */
function precisionOf(digits: string): PointPrecision {
  return POINT_PRECISIONS.findLast((precision) => digits.length <= precision) ?? POINT_PRECISIONS[0];
}

/**
 * Returns the ranges of words that start with these ascending digits. Neighbors of the same precision form one range.
 */
function spansOf(prefixes: { digits: string; isWhole: boolean; word: string }[]): Span[] {
  const spans: Span[] = [];
  let before = '';
  for (const { digits, isWhole, word } of prefixes) {
    // A `z` sorts after every word that continues with digits.
    const last = isWhole ? word : `${word}z`;
    if (digits.length === before.length) spans.at(-1)![1] = last;
    else spans.push([word, last]);
    before = digits;
  }
  return spans;
}

/** Returns the words of numbers or dates in the intervals. */
export function wordsOfIntervals(
  { kind, words }: Pick<Meaning, 'kind' | 'words'>,
  intervals: Interval[],
): WordSelection | undefined {
  if (intervals.length === 0) return NOTHING;
  if (!words || kind === 'text') return undefined;
  const all = joinWords(intervals.map((interval) => wordsOfInterval(kind, words, interval)));
  return all && all.match.length <= MATCH_CHARS_MAX ? all : undefined;
}

/** Builds the condition that a number is in one of the intervals; null without a number. */
export function isInside(point: SQL, intervals: Interval[], operands: Operands): SQL {
  if (intervals.length > WRITTEN_OUT_MAX) {
    const rows = intervals.map(({ from, to }) => [from?.value, from?.open, to?.value, to?.open]);
    const bound = (place: number) => sql.raw(`(wanted.value ->> ${place})`);
    return sql`exists (select 1 from ${operands.each(rows)} as wanted
      where (${bound(0)} is null or ${point} > ${bound(0)} or (${point} = ${bound(0)} and not ${bound(1)}))
        and (${bound(2)} is null or ${point} < ${bound(2)} or (${point} = ${bound(2)} and not ${bound(3)})))`;
  }
  return some(
    intervals.map(({ from, to }) => {
      const bounds = [
        ...(from ? [sql`${point} ${sql.raw(from.open ? '>' : '>=')} ${operands.one(from.value)}`] : []),
        ...(to ? [sql`${point} ${sql.raw(to.open ? '<' : '<=')} ${operands.one(to.value)}`] : []),
      ];
      return bounds.length > 0 ? every(bounds) : sql`${point} is not null`;
    }),
  );
}

function wordsOfInterval(
  kind: PointKind,
  words: NonNullable<Meaning['words']>,
  interval: Interval,
): WordSelection | undefined {
  const { scope, code, isExact: isScoped } = words;
  const exact = { isExact: true, isScoped };
  if (!interval.from && !interval.to) {
    const word = presenceTerm(scope, code);
    return ALWAYS_PRESENT.has(code) ? undefined : { ...exact, match: word, spans: [[word, word]] };
  }
  const prefixes = digitPrefixes(interval).map((digits) => {
    const precision = precisionOf(digits);
    return { digits, isWhole: digits.length === precision, word: pointTerm(kind, precision, scope, code, digits) };
  });
  return {
    ...exact,
    match: anyOf(prefixes.map(({ word, isWhole }) => (isWhole ? word : `${word} *`))),
    spans: spansOf(prefixes),
    interval: {
      of: pointTerm(kind, 16, scope, code, ''),
      is: interval,
      select: (narrower) => wordsOfInterval(kind, words, narrower) ?? NOTHING,
    },
  };
}
