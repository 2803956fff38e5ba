import { type SQL, sql } from 'drizzle-orm';
import { fold, GRAM_CHARS, gramPrefix, innerGramTerms } from '../passes/search-index/search-terms.ts';
import { inJson, isOnlyInValues, visibleValues } from '../passes/search-index/stored-values.ts';
import { every, type Operands, some } from './operands.ts';
import { findAll, type TextExpression } from './operators.ts';

/* In a phrase, `*` matches any characters: a value matches if it contains the parts in their order. */

/** Returns the folded parts of a phrase; none for a phrase that restricts nothing. */
export function partsOf(phrase: string): string[] {
  const parts = fold(phrase)
    .split('*')
    .filter((part) => part !== '');
  return parts.every((part) => part.trim() === '') ? [] : parts;
}

/** Whether a folded value matches a phrase. */
export function hasPhrase(value: string, parts: string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** Maximum number of parts that are first searched anywhere in the lines, before their order is checked. */
const PARTS_SEEN_BEFORE = 8;

/** Builds the condition that one line of `lines` matches a phrase. */
export function phraseIn(lines: SQL, parts: string[], operands: Operands): SQL {
  const has = (text: SQL) =>
    every(parts.slice(0, PARTS_SEEN_BEFORE).map((part) => sql`instr(${text}, ${operands.one(part)}) > 0`));
  if (parts.length < 2) return has(lines);
  const part = operands.member(parts, sql`('[' || walk.place || ']')`);
  const at = sql`instr(rest, ${part})`;
  const isHit = sql`${at} between 1 and case place when 0 then length(rest) else instr(rest, char(10)) end`;
  const count = sql.raw(String(parts.length));
  // Walks through a line part by part. When a line lacks a part, the walk restarts with the first part on the next
  // line.
  return sql`exists (
    with recursive shown(lines) as materialized (select ${lines}), walk(place, rest) as (
      select 0, lines || char(10) from shown where ${has(sql`lines`)}
      union all
      select case when ${isHit} then place + 1 else 0 end,
        case when ${isHit} then substr(rest, ${at} + length(${part})) else substr(rest, instr(rest, char(10)) + 1) end
      from walk where place < ${count} and (place > 0 or ${at} > 0)
    ) select 1 from walk where place = ${count})`;
}

/** Builds the condition that a value of a pass matches a phrase. */
export function phraseInValues(parts: string[], operands: Operands): SQL {
  const { all, builtIn, hasInProperties } = visibleValues();
  const [part, ...others] = parts as [string, ...string[]];
  const inProperties = (text: string) => hasInProperties(operands.one(inJson(text)), false);
  const inBuiltIn = (text: string) => sql`instr(${builtIn}, ${operands.one(text)}) > 0`;
  if (others.length > 0) {
    const maybe = parts.slice(0, PARTS_SEEN_BEFORE).map((text) => some([inProperties(text), inBuiltIn(text)]));
    return every([...maybe, phraseIn(all, parts, operands)]);
  }
  const exactly = hasInProperties(operands.one(inJson(part)), true);
  const isFound = [...(isOnlyInValues(part) ? [exactly] : []), inBuiltIn(part)];
  return some([...isFound, every([inProperties(part), phraseIn(all, parts, operands)])]);
}

/** Finds the texts of an account that may match a phrase. */
export function findParts(scope: string, parts: string[]): TextExpression {
  const isLong = (part: string) => Array.from(part).length >= GRAM_CHARS;
  const long = parts.filter(isLong);
  if (long.length > 0) return findAll(scope, [...new Set(long.flatMap((part) => innerGramTerms(scope, part)))]);
  return findAll(scope, [...new Set(parts.map((part) => `${gramPrefix(scope, part)} *`))]);
}
