import { type SQL, sql } from 'drizzle-orm';
import { fold, GRAM_CHARS, gramPrefix, innerGramTerms } from '../passes/search-index/search-terms.ts';
import { inJson, isOnlyInValues, visibleValues } from '../passes/search-index/stored-values.ts';
import { every, type Operands, some } from './operands.ts';
import { type Found, findAll } from './operators.ts';

/* A phrase has `*` for any characters: a value has it when it contains the parts one behind the other. */

/** The parts of a phrase, folded; none for a phrase that restricts nothing. */
export function partsOf(phrase: string): string[] {
  const parts = fold(phrase)
    .split('*')
    .filter((part) => part !== '');
  return parts.every((part) => part.trim() === '') ? [] : parts;
}

/** Whether a folded value has a phrase. */
export function hasPhrase(value: string, parts: string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** Parts that are looked for anywhere in the lines before they are looked for in their order. */
const PARTS_SEEN_BEFORE = 8;

/** SQL for whether one line of `lines` has a phrase. */
export function phraseIn(lines: SQL, parts: string[], operands: Operands): SQL {
  const has = (text: SQL) =>
    every(parts.slice(0, PARTS_SEEN_BEFORE).map((part) => sql`instr(${text}, ${operands.one(part)}) > 0`));
  if (parts.length < 2) return has(lines);
  const part = operands.member(parts, sql`('[' || walk.place || ']')`);
  const at = sql`instr(rest, ${part})`;
  const isHit = sql`${at} between 1 and case place when 0 then length(rest) else instr(rest, char(10)) end`;
  const count = sql.raw(String(parts.length));
  // Part by part through one line; where a part is missing in it, from the first part on through the next line.
  return sql`exists (
    with recursive shown(lines) as materialized (select ${lines}), walk(place, rest) as (
      select 0, lines || char(10) from shown where ${has(sql`lines`)}
      union all
      select case when ${isHit} then place + 1 else 0 end,
        case when ${isHit} then substr(rest, ${at} + length(${part})) else substr(rest, instr(rest, char(10)) + 1) end
      from walk where place < ${count} and (place > 0 or ${at} > 0)
    ) select 1 from walk where place = ${count})`;
}

/** SQL for whether a value of a pass has a phrase. */
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

/** Where texts with a phrase may stand in the index of an account. */
export function findParts(scope: string, parts: string[]): Found {
  const isLong = (part: string) => Array.from(part).length >= GRAM_CHARS;
  const long = parts.filter(isLong);
  if (long.length > 0) return findAll(scope, [...new Set(long.flatMap((part) => innerGramTerms(scope, part)))]);
  return findAll(scope, [...new Set(parts.map((part) => `${gramPrefix(scope, part)} *`))]);
}
