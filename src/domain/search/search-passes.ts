import { sql } from 'drizzle-orm';
import { type BatchPart, bothOf, EMPTY_PART, readPart } from '../../platform/batch-part.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext, Owner } from '../context.ts';
import { invalidField } from '../errors.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import type { Pass } from '../passes/table.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { checkQuery, type ResolvedQuery } from './check-query.ts';
import { countPart, countSelected, knownCount } from './count-passes.ts';
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
import { publishedPart, withDefinitions } from './template-facts.ts';

interface PassSearch {
  query: unknown;
  pageSize: number;
  /** Identifier of the last pass of the previous page. */
  startId?: string;
  /** UTC milliseconds; without `startId`, the page starts with the newest pass that isn't younger. */
  startCreatedAt?: number;
  /** Requested members of a row, and those that all rows have. */
  members?: { names: string[]; builtIn: Set<string> };
}

interface Page {
  /** Passes that the query selects, on all pages. */
  total: number;
  hasMore: boolean;
}

/** A pass with the definition that it shows. */
export type FoundPass = Pick<DefinedPass, 'pass' | 'version' | 'definition'>;

export interface SearchPage extends Page {
  rows: FoundPass[];
}

/** A page of passes as they are stored. */
export interface PassRowPage extends Page {
  passes: Pass[];
}

/** Data that a search reads before its page. */
export interface SearchRead {
  scope: ScopeRead;
  /** Key after which the page starts, for a search with `startId`. */
  afterKey?: number;
  /** The first passes of the scope, one more than a page has, for a search without restrictions. */
  first?: StoredPass[];
}

/** Builds the queries of the data that a search reads before its page, or with it; empty for an invalid query. */
export function searchPart(
  owner: Owner,
  { query, startId, pageSize, startsAtDate = false }: Omit<PassSearch, 'startCreatedAt'> & { startsAtDate?: boolean },
): BatchPart<SearchRead | undefined> {
  const parsed = Query.safeParse(query);
  if (!parsed.success) return EMPTY_PART;
  const scope = scopePart(owner, parsed.data);
  if (startId !== undefined) {
    const { queries, read } = bothOf(scope, keyAfterPart(owner.db, startId, 'newest'));
    return { queries, read: (results) => asRead(read(results), 'afterKey') };
  }
  if (startsAtDate || isRestricting(parsed.data)) {
    return { ...scope, read: (results) => ({ scope: scope.read(results) }) };
  }
  const { queries, read } = bothOf(scope, firstPassesPart(owner, parsed.data, pageSize + 1));
  return { queries, read: (results) => asRead(read(results), 'first') };
}

/** Whether a query restricts its scope. */
function isRestricting({ groups, searchPhrase }: Query): boolean {
  return Boolean(groups?.some((group) => group.length > 0)) || partsOf(searchPhrase ?? '').length > 0;
}

function asRead<Name extends 'afterKey' | 'first'>(
  [scope, value]: [ScopeRead, SearchRead[Name]],
  name: Name,
): SearchRead {
  return { scope, [name]: value };
}

/**
 * Returns one page of a query's passes, newest first. Two round trips, one fewer with the results of `searchPart`, one
 * fewer for all passes of a scope. Counts that read passes, columns, template facts and uncached definitions add more.
 * Throws what `checkQuery` and `membersPart` throw.
 */
export async function searchPasses(ctx: AccountContext, search: PassSearch, known?: SearchRead): Promise<SearchPage> {
  const { startCreatedAt, members, pageSize } = search;
  const startsAtDate = startCreatedAt !== undefined;
  const read = known ?? (await readPart(ctx.db, searchPart(ctx, { ...search, startsAtDate })));
  const query = await checkQuery(ctx, search.query, read?.scope);
  const { scope } = query;
  const afterKey = read?.afterKey ?? (startCreatedAt === undefined ? undefined : await keyUpTo(ctx, startCreatedAt));
  const beside = bothOf(membersPart(ctx, scope, members), publishedPart(ctx, scope));
  const first = scope.isExact ? read?.first : undefined;
  const { passes, ...page } = await findPage(ctx, query, { limit: pageSize, afterKey, beside, first });
  return { rows: await withDefinitions(ctx, scope.templates, passes), ...page };
}

interface PagePlace {
  limit: number;
  afterKey?: number;
  /** Queries to run in the round trip of the page. */
  beside?: BatchPart<unknown>;
  /** Passes of the page, and one more, if they were read before. */
  first?: StoredPass[];
}

async function findPage(
  ctx: AccountContext,
  query: ResolvedQuery,
  { limit, afterKey, beside = EMPTY_PART, first }: PagePlace,
): Promise<PassRowPage> {
  const plan = query.scope.templates.length > 0 ? await planQuery(ctx, query) : [];
  const page = first ? partOf(first, plan) : countedPart(ctx, plan, { order: 'newest', afterKey, limit: limit + 1 });
  const count = afterKey === undefined ? EMPTY_PART : countPart(ctx, plan);
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

/** Returns passes that were read before, with the stored count of all. */
function partOf(passes: StoredPass[], plan: Plan): BatchPart<CountedPart> {
  return { queries: [], read: () => ({ passes, total: plan.reduce((sum, one) => sum + (knownCount(one) ?? 0), 0) }) };
}

/**
 * Returns one page of a query's passes, newest first, starting after the pass `after`. One round trip for the first
 * page without conditions. `searchPasses` adds definitions.
 */
export async function searchPassRows(
  ctx: AccountContext,
  query: ResolvedQuery,
  { after, limit }: { after?: string; limit: number },
): Promise<PassRowPage> {
  const afterKey = after === undefined ? undefined : await keyAfter(ctx, after, 'newest');
  return findPage(ctx, query, { limit, afterKey });
}

/** Passes per page: a few megabytes, and 13 million characters with the longest values. */
const EXPORT_PAGE_PASSES = 200;

/**
 * Yields pages of passes, oldest first. One round trip and one page in memory at a time. Passes created meanwhile come
 * at the end.
 */
export async function* eachPageOfPasses(ctx: AccountContext, query: ResolvedQuery): AsyncGenerator<Pass[]> {
  if (query.scope.templates.length === 0) return;
  const plan = await planQuery(ctx, query);
  let afterKey: number | undefined;
  for (;;) {
    const page = await findPasses(ctx, plan, { order: 'oldest', afterKey, limit: EXPORT_PAGE_PASSES });
    if (page.length > 0) yield page;
    if (page.length < EXPORT_PAGE_PASSES) return;
    afterKey = page.at(-1)!.key;
  }
}

/**
 * Returns identifiers of a query's passes in storage order, after `afterId` (which may have been deleted meanwhile). A
 * page shorter than `limit` is the last one. Passes stored between two pages come at the end.
 */
export async function selectPassIds(
  ctx: AccountContext,
  query: ResolvedQuery,
  { afterId, limit }: { afterId?: string; limit: number },
): Promise<string[]> {
  const plan = await planQuery(ctx, query);
  const afterKey = afterId === undefined ? undefined : await keyAfter(ctx, afterId, 'oldest');
  return findPassIds(ctx, plan, { order: 'oldest', afterKey, limit });
}

/** Returns the number of passes that a query selects; see `countSelected` for its cost. */
export async function countPasses(ctx: AccountContext, query: ResolvedQuery): Promise<number> {
  return countSelected(ctx, await planQuery(ctx, query));
}

/**
 * Builds the query that checks the requested members of a row. `builtIn` are in every row; others may be additional
 * properties by ID or name. No query if all are built in. Throws `invalid` for members that no pass of the scope has.
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

/** Selects the names that are properties of the newest or published versions; the definitions stay in the database. */
function propertyNames(ctx: AccountContext, { templates: of }: Scope, names: string[]) {
  const ids = JSON.stringify(of.map(({ id }) => id));
  return rawStatement<{ name: string }>(
    ctx.db,
    sql`select distinct named.value as name from json_each(${ids}) as chosen
      cross join ${templates} on ${templates.id} = chosen.value and ${templates.accountId} = ${ctx.account.id}
      cross join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
        and ${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})
      cross join json_each(${templateVersions.definition}, '$.additionalProperties') as property
      cross join json_each(json_array(property.value ->> '$.id', property.value ->> '$.name')) as named
      where named.value in (select value from json_each(${JSON.stringify(names)}))`,
  );
}
