import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { accountScope } from '../passes/search-index/search-terms.ts';
import { type SearchContext, select } from './conditions.ts';
import { type EndRule, endMeaning, endRules } from './effective-expiration.ts';
import { resolveField } from './fields.ts';
import { Operands } from './operands.ts';
import { type Condition, Query } from './query.ts';
import { getScope, type Scope, type ScopeRead, toScope } from './scope.ts';
import { selectPhrase } from './select-phrase.ts';
import type { Selection } from './selection.ts';
import { getScopeDefinitions, selectByTemplate, shownVersionsQuery } from './template-facts.ts';

/**
 * A query that was checked and resolved for one account. It lives as long as a request or job; stored queries keep the
 * form in which they were sent.
 */
export interface ResolvedQuery {
  scope: Scope;
  operands: Operands;
  /** Groups combine with OR, the selections of one group with AND; empty: everything in the scope. */
  groups: Selection[][];
  /** Further lists of groups, each found in its own way. The lists select disjoint sets of passes. */
  also?: Selection[][][];
}

/**
 * Checks a caller's query. One round trip, none with a `known` scope. Additional properties (only with a template, a
 * project or `findsProperties`) and template facts cost more. Throws `invalid` for an unknown field or operator or a
 * bad value, and not found for an unknown templateId or projectId.
 */
export async function checkQuery(
  ctx: AccountContext,
  input: unknown,
  known?: Scope | ScopeRead,
  { findsProperties = false }: { findsProperties?: boolean } = {},
): Promise<ResolvedQuery> {
  const query = checked(Query, input);
  const scope = known ? ('found' in known ? toScope(ctx, known) : known) : await getScope(ctx, query);
  const searchContext = { operands: new Operands(), gramScope: accountScope(ctx.account.id) };
  const conditions = (query.groups ?? []).filter((group) => group.length > 0);
  const namesTemplates = findsProperties || Boolean(query.templateId || query.projectId);
  const resolve = createResolver(ctx, namesTemplates, scope, searchContext);
  const groups: Selection[][] = [];
  for (const group of conditions) {
    const selections: Selection[] = [];
    for (const condition of group) selections.push(await resolve(condition));
    groups.push(selections);
  }
  const { operands } = searchContext;
  const phrase = await selectPhrase(ctx, scope, query.searchPhrase, searchContext);
  if (!phrase) return { scope, operands, groups };
  const all = groups.length > 0 ? groups : [[]];
  const [first = [], ...also] = phrase.map((way) => all.map((group) => [...group, way]));
  return { scope, operands, groups: first, also };
}

/**
 * Returns a function that turns a condition into a selection. It reads definitions when a condition first names a field
 * that isn't built in.
 */
function createResolver(ctx: AccountContext, namesTemplates: boolean, scope: Scope, searchContext: SearchContext) {
  let definitions: Awaited<ReturnType<typeof getScopeDefinitions>> | undefined;
  let rules: EndRule[] | undefined;
  return async (condition: Condition): Promise<Selection> => {
    let field = resolveField(ctx, scope, definitions, condition.field);
    if (!field && !definitions && namesTemplates) {
      definitions = await getScopeDefinitions(ctx, scope);
      field = resolveField(ctx, scope, definitions, condition.field);
    }
    if (!field) throw unknownField(condition.field, namesTemplates);
    if ('meanings' in field) return select(condition, field.meanings, searchContext);
    if ('templateFact' in field) return selectByTemplate(ctx, scope, condition, field.templateFact, searchContext);
    rules ??= endRules(ctx, await shownVersionsQuery(ctx, scope.templates));
    return select(condition, [endMeaning(ctx, scope, rules, searchContext.operands)], searchContext);
  };
}

function unknownField(name: string, namesTemplates: boolean) {
  const hint = namesTemplates ? '' : '; additional properties need a templateId or projectId';
  return invalidField('field', `"${name}" is not a field; use one such as "userProvidedId"${hint}`);
}
