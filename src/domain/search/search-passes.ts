import { sql } from 'drizzle-orm';
import { type BatchPart, bothOf, EMPTY_PART, readPart } from '../../platform/batch-part.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext, Owner } from '../context.ts';
import { invalidField } from '../errors.ts';
import type { Pass } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { checkQuery, type ResolvedQuery } from './check-query.ts';
import { countPart, countSelected, knownCount } from './count-passes.ts';
import { publishedPart, withDefinitions } from './definitions.ts';
import {
  type CountedPart,
  countedPart,
  findPasses,
  findPassIds,
  firstPassesPart,
  keyAfter,
  keyAfterPart,
  keyUpTo,
  type StoredPass,
} from './find-passes.ts';
import { partsOf } from './phrase.ts';
import { type Plan, planQuery } from './plan.ts';
import { Query } from './query.ts';
import { type Scope, type ScopeRead, scopePart } from './scope.ts';

interface PassSearch {
  query: unknown;
  pageSize: number;
  /** Identifier of the last pass of the page before. */
  startId?: string;
  /** UTC milliseconds; without `startId` the page begins with the newest pass that is not younger. */
  startCreatedAt?: number;
  /** Members of a row that are asked for, and those that all rows have. */
  members?: { names: string[]; builtIn: Set<string> };
}

interface Page {
  /** Passes that the query selects, on all pages. */
  total: number;
  hasMore: boolean;
}

/** A pass with the definition that it shows. */
export interface FoundPass {
  pass: Pass;
  version: number;
  definition: StoredDefinition;
}

export interface SearchPage extends Page {
  rows: FoundPass[];
}

/** One page of passes as they are stored. */
export interface PassRowPage extends Page {
  passes: Pass[];
}

/** What a search reads before its page. */
export interface SearchRead {
  scope: ScopeRead;
  /** The key behind which the page begins, for a search with `startId`. */
  behind?: number;
  /** The first passes of the scope, and one more than the page has, for a search that asks for all of them. */
  first?: StoredPass[];
}

/** The queries of what a search reads before its page, or with it; nothing for a query that is refused. */
export function searchPart(
  owner: Owner,
  { query, startId, pageSize, startsAtDate = false }: Omit<PassSearch, 'startCreatedAt'> & { startsAtDate?: boolean },
): BatchPart<SearchRead | undefined> {
  const asked = Query.safeParse(query);
  if (!asked.success) return EMPTY_PART;
  const scope = scopePart(owner, asked.data);
  if (startId !== undefined) {
    const { queries, read } = bothOf(scope, keyAfterPart(owner.db, startId, 'newest'));
    return { queries, read: (results) => asRead(read(results), 'behind') };
  }
  if (startsAtDate || isRestricting(asked.data)) {
    return { ...scope, read: (results) => ({ scope: scope.read(results) }) };
  }
  const { queries, read } = bothOf(scope, firstPassesPart(owner, asked.data, pageSize + 1));
  return { queries, read: (results) => asRead(read(results), 'first') };
}

/** Whether a query selects some passes of its scope only. */
function isRestricting({ groups, searchPhrase }: Query): boolean {
  return Boolean(groups?.some((group) => group.length > 0)) || partsOf(searchPhrase ?? '').length > 0;
}

function asRead<Name extends 'behind' | 'first'>(
  [scope, value]: [ScopeRead, SearchRead[Name]],
  name: Name,
): SearchRead {
  return { scope, [name]: value };
}

/**
 * One page of the passes that a query selects, newest first. Two round trips, one fewer with what `searchPart` has
 * read, and one fewer for all passes of a scope. More for a count that looks at passes, columns that change without a
 * new version, facts of templates, definitions not in memory. Throws what `checkQuery` and `membersPart` throw.
 */
export async function searchPasses(ctx: AccountContext, search: PassSearch, known?: SearchRead): Promise<SearchPage> {
  const { startCreatedAt, members, pageSize } = search;
  const startsAtDate = startCreatedAt !== undefined;
  const read = known ?? (await readPart(ctx.db, searchPart(ctx, { ...search, startsAtDate })));
  const query = await checkQuery(ctx, search.query, read?.scope);
  const { scope } = query;
  const behind = read?.behind ?? (startCreatedAt === undefined ? undefined : await keyUpTo(ctx, startCreatedAt));
  const beside = bothOf(membersPart(ctx, scope, members), publishedPart(ctx, scope));
  const first = scope.isExact ? read?.first : undefined;
  const { passes, ...page } = await findPage(ctx, query, { limit: pageSize, behind, beside, first });
  return { rows: await withDefinitions(ctx, scope.templates, passes), ...page };
}

interface PagePlace {
  limit: number;
  behind?: number;
  /** What is read in the round trip of the page. */
  beside?: BatchPart<unknown>;
  /** The passes of the page, and one more, where they were read before. */
  first?: StoredPass[];
}

async function findPage(
  ctx: AccountContext,
  query: ResolvedQuery,
  { limit, behind, beside = EMPTY_PART, first }: PagePlace,
): Promise<PassRowPage> {
  const plan = query.scope.templates.length > 0 ? await planQuery(ctx, query) : [];
  const page = first ? partOf(first, plan) : countedPart(ctx, plan, { order: 'newest', behind, limit: limit + 1 });
  const count = behind === undefined ? EMPTY_PART : countPart(ctx, plan);
  const [[found, counted]] = await readPart(
    ctx.db,
    bothOf(bothOf<CountedPart, number | undefined>(page, count), beside),
  );
  return {
    passes: found.passes.slice(0, limit),
    total: counted ?? found.total ?? (await countSelected(ctx, plan)),
    hasMore: found.passes.length > limit,
  };
}

/** Passes that were read before, with the number that is kept of all. */
function partOf(passes: StoredPass[], plan: Plan): BatchPart<CountedPart> {
  return { queries: [], read: () => ({ passes, total: plan.reduce((sum, one) => sum + (knownCount(one) ?? 0), 0) }) };
}

/**
 * One page of the passes that a query selects, newest first, `after` the one of that identifier. One round trip for the
 * first page of a query without conditions; see `searchPasses`, which adds definitions.
 */
export async function searchPassRows(
  ctx: AccountContext,
  query: ResolvedQuery,
  { after, limit }: { after?: string; limit: number },
): Promise<PassRowPage> {
  const behind = after === undefined ? undefined : await keyAfter(ctx, after, 'newest');
  return findPage(ctx, query, { limit, behind });
}

/** Passes that are read at once: a few megabytes, with the longest texts that passes usually have. */
const EXPORT_PAGE_PASSES = 500;

/** Oldest first, a page in memory at a time; a round trip each. What is created meanwhile comes at the end. */
export async function* eachPageOfPasses(ctx: AccountContext, query: ResolvedQuery): AsyncGenerator<Pass[]> {
  if (query.scope.templates.length === 0) return;
  const plan = await planQuery(ctx, query);
  let behind: number | undefined;
  for (;;) {
    const page = await findPasses(ctx, plan, { order: 'oldest', behind, limit: EXPORT_PAGE_PASSES });
    if (page.length > 0) yield page;
    if (page.length < EXPORT_PAGE_PASSES) return;
    behind = page.at(-1)!.key;
  }
}

/**
 * Identifiers of the passes that a query selects, in the order in which they were stored, after `afterId` (which may
 * have been deleted meanwhile). A page that is shorter than `limit` is the last one; passes that are stored while pages
 * are read come at the end.
 */
export async function selectPassIds(
  ctx: AccountContext,
  query: ResolvedQuery,
  { afterId, limit }: { afterId?: string; limit: number },
): Promise<string[]> {
  const plan = await planQuery(ctx, query);
  const behind = afterId === undefined ? undefined : await keyAfter(ctx, afterId, 'oldest');
  return findPassIds(ctx, plan, { order: 'oldest', behind, limit });
}

/** Number of passes that a query selects; see `countSelected` for its cost. */
export async function countPasses(ctx: AccountContext, query: ResolvedQuery): Promise<number> {
  return countSelected(ctx, await planQuery(ctx, query));
}

/**
 * Throws `invalid` naming the members of a row that no pass of a scope has. `builtIn` are those that all rows have;
 * others may be additional properties, by ID or name. Nothing is asked when all are built in.
 */
function membersPart(ctx: AccountContext, scope: Scope, members: PassSearch['members']): BatchPart<void> {
  const others = [...new Set(members?.names.filter((name) => !members.builtIn.has(name)))];
  if (others.length === 0) return { queries: [], read: () => undefined };
  return {
    queries: [propertyNames(ctx, scope, others)],
    read([rows]) {
      const known = new Set((rows as { name: string }[]).map(({ name }) => name));
      const unknown = others.filter((name) => !known.has(name));
      if (unknown.length === 0) return;
      const listed = unknown.map((name) => `"${name}"`).join(', ');
      throw invalidField(
        'fields',
        `rows have no ${listed}; use names such as "userProvidedId", or additional properties by ID or name`,
      );
    },
  };
}

/** Those that are properties of the newest or published versions; the definitions stay in the database. */
function propertyNames(ctx: AccountContext, { templates: of }: Scope, names: string[]) {
  const ids = JSON.stringify(of.map(({ id }) => id));
  return rawStatement<{ name: string }>(
    ctx.db,
    sql`select distinct wanted.value as name from json_each(${ids}) as chosen
      cross join ${templates} on ${templates.id} = chosen.value and ${templates.accountId} = ${ctx.account.id}
      cross join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
        and ${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})
      cross join json_each(${templateVersions.definition}, '$.additionalProperties') as property
      cross join json_each(${JSON.stringify(names)}) as wanted
      where wanted.value in (property.value ->> '$.id', property.value ->> '$.name')`,
  );
}
