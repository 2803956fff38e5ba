import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import type { Pass } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { checkQuery, type ResolvedQuery } from './check-query.ts';
import { countSelected } from './count-passes.ts';
import { withDefinitions } from './definitions.ts';
import { findPasses, findPassIds, keyAfter, keyUpTo } from './find-passes.ts';
import { planQuery } from './plan.ts';
import type { Scope } from './scope.ts';

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

/**
 * One page of the passes that a query selects, newest first. Three round trips at least; a page reads its own rows and
 * the total is not counted when the first page holds all. Throws what `checkQuery` and `checkRowMembers` throw.
 */
export async function searchPasses(ctx: AccountContext, search: PassSearch): Promise<SearchPage> {
  const query = await checkQuery(ctx, search.query);
  const { templates } = query.scope;
  if (search.members) await checkRowMembers(ctx, query.scope, search.members.names, search.members.builtIn);
  const { passes, ...page } = await findPage(ctx, query, search.pageSize, () => startOf(ctx, search));
  return { rows: await withDefinitions(ctx, templates, passes), ...page };
}

async function findPage(
  ctx: AccountContext,
  query: ResolvedQuery,
  limit: number,
  start: () => Promise<number> | undefined,
): Promise<PassRowPage> {
  if (query.scope.templates.length === 0) return { passes: [], total: 0, hasMore: false };
  const plan = await planQuery(ctx, query);
  const behind = await start();
  const found = await findPasses(ctx, plan, { order: 'newest', behind, limit: limit + 1 });
  const hasMore = found.length > limit;
  const total = behind === undefined && !hasMore ? found.length : await countSelected(ctx, plan);
  return { passes: found.slice(0, limit), total, hasMore };
}

function startOf(ctx: AccountContext, { startId, startCreatedAt }: PassSearch) {
  if (startId !== undefined) return keyAfter(ctx, startId, 'newest');
  return startCreatedAt === undefined ? undefined : keyUpTo(ctx, startCreatedAt);
}

/**
 * One page of the passes that a query selects, newest first, `after` the one of that identifier. One round trip for the
 * first page of a query without conditions; see `searchPasses`, which adds definitions.
 */
export function searchPassRows(
  ctx: AccountContext,
  query: ResolvedQuery,
  { after, limit }: { after?: string; limit: number },
): Promise<PassRowPage> {
  return findPage(ctx, query, limit, () => (after === undefined ? undefined : keyAfter(ctx, after, 'newest')));
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
 * others may be additional properties, by ID or name. One round trip, none when all are built in.
 */
async function checkRowMembers(
  ctx: AccountContext,
  scope: Scope,
  names: string[],
  builtIn: Set<string>,
): Promise<void> {
  const others = [...new Set(names.filter((name) => !builtIn.has(name)))];
  if (others.length === 0) return;
  const known = await propertyNames(ctx, scope, others);
  const unknown = others.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const listed = unknown.map((name) => `"${name}"`).join(', ');
  throw invalidField(
    'fields',
    `no row has ${listed}; use names like "userProvidedId", or additional properties by ID or name`,
  );
}

/** Those that are properties of the newest or published versions; the definitions stay in the database. */
async function propertyNames(ctx: AccountContext, { templates: of }: Scope, names: string[]): Promise<Set<string>> {
  const ids = JSON.stringify(of.map(({ id }) => id));
  const rows = await rawStatement<{ name: string }>(
    ctx.db,
    sql`select distinct wanted.value as name from json_each(${ids}) as chosen
      cross join ${templates} on ${templates.id} = chosen.value and ${templates.accountId} = ${ctx.account.id}
      cross join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
        and ${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})
      cross join json_each(${templateVersions.definition}, '$.additionalProperties') as property
      cross join json_each(${JSON.stringify(names)}) as wanted
      where wanted.value in (property.value ->> '$.id', property.value ->> '$.name')`,
  );
  return new Set(rows.map(({ name }) => name));
}
