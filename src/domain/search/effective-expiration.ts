import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type ExpirationTerms, expirationTerms } from '../passes/card/expiration.ts';
import { templateTerm } from '../passes/search-index/search-terms.ts';
import { passes } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { timeZoneOf } from '../templates/time-zone.ts';
import { MATCH_CHARS_MAX, wordsOfIntervals } from './conditions.ts';
import { type Meaning, meaningOf, resolveField } from './fields.ts';
import { type Interval, intersection } from './intervals.ts';
import type { Operands } from './operands.ts';
import { anyOf, NAMED_TEMPLATES_MAX, type Scope } from './scope.ts';
import type { WordSelection } from './selection.ts';
import type { ShownVersion } from './template-facts.ts';

/*
 * The end of a pass depends on its own date and on the template version that it shows. Only the former is in the index,
 * so candidates come from the dates of the pass and from the templates, and SQL decides as `expirationOf` does.
 */

/** Expiration terms of a template version; only for versions that have any. */
export type EndRule = ShownVersion & ExpirationTerms;

/** Returns the rules of the versions that have any. */
export function endRules(
  { account }: AccountContext,
  versions: (ShownVersion & { expiration: string | null; timezone: string | null })[],
): EndRule[] {
  return versions.flatMap(({ templateId, version, expiration, timezone }) => {
    const stored = { expiration: JSON.parse(expiration ?? '{}') as StoredDefinition['expiration'] };
    const terms = expirationTerms(stored, timeZoneOf(account, { timezone }));
    const isSomething = Object.values(terms).some((term) => term !== undefined);
    return isSomething ? [{ templateId, version, ...terms }] : [];
  });
}

/** Builds the effective expiration of a pass in UTC milliseconds; null for none. */
export function endOf(scope: Scope, rules: EndRule[], operands: Operands): SQL {
  if (rules.length === 0) return sql`${passes.expirationAt}`;
  const published = Object.fromEntries(scope.templates.map(({ id, publishedVersion }) => [id, publishedVersion]));
  const byVersion = Object.fromEntries(
    rules.map(({ templateId, version, fallbackAt, validityMs, latestAt }) => [
      `${templateId}:${version}`,
      [fallbackAt ?? null, validityMs ?? null, latestAt ?? null],
    ]),
  );
  const publishedVersion = operands.member(published, sql`('."' || ${passes.templateId} || '"')`);
  const version = sql`max(${passes.templateVersion}, coalesce(${publishedVersion}, 0))`;
  const fact = (place: number) =>
    operands.member(byVersion, sql`('."' || ${passes.templateId} || ':' || ${version} || ${sql.raw(`'"[${place}]'`)})`);
  const own = sql`coalesce(${passes.expirationAt}, ${passes.createdAt} + ${fact(1)})`;
  return sql`(case when ${own} is null then ${fact(0)} when ${fact(2)} < ${own} then ${fact(2)} else ${own} end)`;
}

/** Returns the end that the template itself sets. */
export function endOfTemplate({ fallbackAt, latestAt }: ExpirationTerms): number | undefined {
  return fallbackAt ?? latestAt;
}

/** Returns the words of passes whose effective expiration may be in the intervals; undefined if there are too many. */
export function wordsOfEnd(
  ctx: AccountContext,
  scope: Scope,
  rules: EndRule[],
  intervals: Interval[],
): WordSelection | undefined {
  const found = [wordsOfIntervals(builtInDate(ctx, scope, 'expirationDate'), intervals)];
  const isAnything = intervals.some(({ from, to }) => !from && !to);
  const whole = rules.filter(({ validityMs, ...rule }) => {
    const end = endOfTemplate(rule);
    const point = end !== undefined && { value: end, open: false };
    const isHit = point && intervals.some((one) => intersection(one, { from: point, to: point }));
    return isHit || (isAnything && validityMs !== undefined);
  });
  const templateIds = [...new Set(whole.map(({ templateId }) => templateId))];
  if (templateIds.length > NAMED_TEMPLATES_MAX) return undefined;
  const validities = isAnything ? [] : [...new Set(rules.flatMap(({ validityMs }) => validityMs ?? []))];
  for (const validityMs of validities) {
    found.push(
      wordsOfIntervals(
        builtInDate(ctx, scope, 'createdOn'),
        intervals.map((one) => shiftInterval(one, -validityMs)),
      ),
    );
  }
  const matches = found.flatMap((words) => words?.match ?? []);
  if (matches.length < found.length) return undefined;
  const match = anyOf([...matches, ...templateIds.map(templateTerm)]);
  return match.length > MATCH_CHARS_MAX ? undefined : { match, isExact: false, isScoped: scope.builtIn.isExact };
}

/** Returns the meaning of `effectiveExpirationDate` in a query. */
export function endMeaning(ctx: AccountContext, scope: Scope, rules: EndRule[], operands: Operands): Meaning {
  return {
    ...meaningOf('date'),
    timezone: ctx.account.timezone,
    point: endOf(scope, rules, operands),
    wordsOf: (intervals) => wordsOfEnd(ctx, scope, rules, intervals),
  };
}

/** Returns the meaning of a built-in, indexed date in a scope. */
export function builtInDate(ctx: AccountContext, scope: Scope, name: string): Meaning {
  const field = resolveField(ctx, scope, undefined, name);
  if (!field || !('meanings' in field)) throw new Error(`${name} is no date of the index`);
  return field.meanings[0]!;
}

function shiftInterval({ from, to }: Interval, by: number): Interval {
  return { from: from && { ...from, value: from.value + by }, to: to && { ...to, value: to.value + by } };
}
