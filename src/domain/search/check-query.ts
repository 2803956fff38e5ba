import { sql } from 'drizzle-orm';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { accountScope, fold } from '../passes/search-terms.ts';
import { type Selection, type Surroundings, select } from './conditions.ts';
import { loadScopeDefinitions } from './definitions.ts';
import { resolveField } from './fields.ts';
import { Operands } from './operands.ts';
import { findPhrase } from './operators.ts';
import { type Condition, Query } from './query.ts';
import { loadScope, type Scope } from './scope.ts';
import { selectByTemplate } from './template-facts.ts';

/** A query whose fields, operators and values are checked and resolved for one account; lives as long as a request or job. What is stored is the query as it was sent. */
export interface ResolvedQuery {
  scope: Scope;
  operands: Operands;
  /** Selected by all selections of one group; empty: everything in the scope. */
  groups: Selection[][];
}

/**
 * Checks a query as a caller sent it (specification, "Query"). One round trip, more when it names additional properties or facts of templates. Throws `invalid` naming an unknown field or operator or a value that does not
 * fit, and not found for an unknown or foreign templateId or projectId. `known` is the scope of the query, where it was read before.
 */
export async function checkQuery(ctx: AccountContext, input: unknown, known?: Scope): Promise<ResolvedQuery> {
  const query = checked(Query, input);
  const scope = known ?? (await loadScope(ctx, query));
  const surroundings = { operands: new Operands(), gramScope: accountScope(ctx.account.id) };
  const conditions = (query.groups ?? []).filter((group) => group.length > 0);
  const resolve = resolver(ctx, query, scope, surroundings);
  const groups: Selection[][] = [];
  for (const group of conditions) groups.push(await inOrder(group, resolve));
  const phrase = selectPhrase(query.searchPhrase, surroundings);
  const all = groups.length > 0 ? groups : [[]];
  return { scope, operands: surroundings.operands, groups: phrase ? all.map((group) => [...group, phrase]) : groups };
}

/** Carries out conditions of one query; definitions are read when the first one names a field that is not built in. */
function resolver(ctx: AccountContext, query: Query, scope: Scope, surroundings: Surroundings) {
  const namesTemplates = Boolean(query.templateId || query.projectId);
  let definitions: Awaited<ReturnType<typeof loadScopeDefinitions>> | undefined;
  return async (condition: Condition): Promise<Selection> => {
    let field = resolveField(ctx, scope, definitions, condition.field);
    if (!field && !definitions && namesTemplates) {
      definitions = await loadScopeDefinitions(ctx, scope);
      field = resolveField(ctx, scope, definitions, condition.field);
    }
    if (!field) throw unknownField(condition.field, namesTemplates);
    if ('meanings' in field) return select(condition, field.meanings, surroundings);
    return selectByTemplate(ctx, scope, condition, field.templateFact, surroundings);
  };
}

async function inOrder<In, Out>(items: In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function unknownField(name: string, namesTemplates: boolean) {
  const hint = namesTemplates ? '' : '; additional properties need a templateId or projectId';
  return invalid(`field: "${name}" is not a field${hint}`);
}

/** A phrase in any text of a pass (specification, `searchPhrase`). */
function selectPhrase(text: string | null | undefined, { operands, gramScope }: Surroundings): Selection | undefined {
  const phrase = fold(text ?? '');
  if (phrase.trim() === '') return undefined;
  const found = findPhrase(gramScope, phrase);
  return {
    check: sql`instr(pass_documents.content, ${operands.one(phrase)}) > 0`,
    reads: ['pass_documents'],
    words: { match: found.match, isExact: false, isScoped: false },
  };
}
