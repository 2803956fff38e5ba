import type { AccountContext } from '../context.ts';
import type { Pass } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { checkQuery } from './check-query.ts';
import { countSelected } from './count-passes.ts';
import { getDefinitions } from './definitions.ts';
import { findPasses, keyAfter, keyUpTo } from './find-passes.ts';
import { planQuery } from './plan.ts';
import { checkRowMembers } from './row-members.ts';

export interface PassSearch {
  /** As the caller sent it. */
  query: unknown;
  pageSize: number;
  /** Identifier of the last pass of the page before. */
  startId?: string;
  /** UTC milliseconds; without `startId` the page begins with the newest pass that is not younger. */
  startCreatedAt?: number;
  /** Members of a row that are asked for, and those that all rows have. */
  members?: { names: string[]; builtIn: Set<string> };
}

/** A pass with the definition that it shows. */
export interface FoundPass {
  pass: Pass;
  version: number;
  definition: StoredDefinition;
}

export interface SearchPage {
  rows: FoundPass[];
  /** Passes that the query selects, on all pages. */
  total: number;
  hasMore: boolean;
}

/**
 * One page of the passes that a query selects, newest first. Three round trips at least; a page reads its own rows and
 * the total is not counted when the first page holds all. Throws what `checkQuery` and `checkRowMembers` throw.
 */
export async function searchPasses(ctx: AccountContext, search: PassSearch): Promise<SearchPage> {
  const query = await checkQuery(ctx, search.query);
  const { templates } = query.scope;
  if (search.members) await checkRowMembers(ctx, query.scope, search.members.names, search.members.builtIn);
  if (templates.length === 0) return { rows: [], total: 0, hasMore: false };
  const plan = await planQuery(ctx, query);
  const behind = await startOf(ctx, search);
  const found = await findPasses(ctx, plan, { order: 'newest', behind, limit: search.pageSize + 1 });
  const hasMore = found.length > search.pageSize;
  const passes = found.slice(0, search.pageSize);
  const published = new Map(templates.map(({ id, publishedVersion }) => [id, publishedVersion]));
  const versioned = passes.map((pass) => ({
    pass,
    templateId: pass.templateId,
    version: Math.max(pass.templateVersion, published.get(pass.templateId) ?? 0),
  }));
  const definitionOf = await getDefinitions(ctx, versioned);
  return {
    rows: versioned.map((name) => ({ pass: name.pass, version: name.version, definition: definitionOf(name) })),
    total: behind === undefined && !hasMore ? passes.length : await countSelected(ctx, plan),
    hasMore,
  };
}

function startOf(ctx: AccountContext, { startId, startCreatedAt }: PassSearch) {
  if (startId !== undefined) return keyAfter(ctx, startId, 'newest');
  return startCreatedAt === undefined ? undefined : keyUpTo(ctx, startCreatedAt);
}
