import { and, asc, count, gt, gte, type SQL, sql } from 'drizzle-orm';
import { type BatchPart, readPart } from '../../platform/batch-part.ts';
import { firstUuidAt } from '../../platform/ids.ts';
import type { AccountContext, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import { codeOf, templateScopeOf } from '../passes/search-index/search-terms.ts';
import { type Pass, passes } from '../passes/table.ts';
import { isTemplateNamed, templateIdNamed } from '../template-restriction.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { wordsOfIntervals } from './conditions.ts';
import { SCOPE_TEMPLATE, type ScopeTemplate } from './scope.ts';

export interface PassListQuery {
  templateId: string;
  /** Number of passes to skip; used only without `afterId` and `startAt`. */
  start: number;
  pageSize: number;
  /** Identifier of the last pass of the previous page. */
  afterId?: string;
  /** Start of the page without `afterId`: the first pass of this time or later, UTC milliseconds. */
  startAt?: number;
  /** UTC milliseconds. */
  createdSince?: number;
  /** UTC milliseconds; ignored with `createdSince`. */
  modifiedSince?: number;
}

/** A pass with the parts of its definition that lists show. */
interface ListedPass {
  pass: Pass;
  definition: Pick<StoredDefinition, 'name' | 'timezone'>;
}

interface PassPage {
  templateId: string;
  /** Passes that the query selects, on all pages. */
  total: number;
  rows: ListedPass[];
  hasMore: boolean;
}

/** Rows from which a page is made. */
interface PassListRead {
  template?: ScopeTemplate & { total: number; shown: string };
  rows: Pass[];
}

/** Builds the queries of one page of a template's passes; `listPasses` turns their results into the page. */
export function passListPart(owner: Owner, query: PassListQuery): BatchPart<PassListRead> {
  const { db } = owner;
  return {
    queries: [
      db
        .select({ ...SCOPE_TEMPLATE, total: totalOf(owner, query).as('total'), shown: SHOWN.as('shown') })
        .from(templates)
        .where(isTemplateNamed(owner, query.templateId)),
      db
        .select()
        .from(passes)
        .where(selection(owner, query))
        .orderBy(asc(passes.id))
        .limit(query.pageSize + 1)
        .offset(offsetOf(query)),
    ],
    read(results) {
      const [[template], rows] = results as [Required<PassListRead>['template'][], Pass[]];
      return { template, rows };
    },
  };
}

const offsetOf = (query: PassListQuery) => (lowerBound(query) ? 0 : query.start);

/** JSON with the listed parts of the definitions that passes of a template may show, by version. */
const SHOWN = sql<string>`(select json_group_object(${templateVersions.version},
    json_object('name', ${templateVersions.definition} ->> '$.name', 'timezone', ${templateVersions.definition} ->> '$.timezone'))
  from ${templateVersions}
  where ${templateVersions.templateId} = ${templates.id} and ${templateVersions.version} >= ${templates.publishedVersion})`;

/**
 * Returns one page of a template's passes, oldest first. Round trips: one, or none with the results of `passListPart`.
 * A page after `afterId` costs only its own rows; `modifiedSince` adds two index entries and a row per changed pass.
 * Throws not found for an unknown template.
 */
export async function listPasses(ctx: AccountContext, query: PassListQuery, read?: PassListRead): Promise<PassPage> {
  const { pageSize, createdSince } = query;
  const { template, rows } = read ?? (await readPart(ctx.db, passListPart(ctx, query)));
  if (!template) throw notFound();
  const hasMore = rows.length > pageSize;
  const isAll = !hasMore && offsetOf(query) === 0 && !lowerBound(query);
  const shown = JSON.parse(template.shown) as Record<number, ListedPass['definition']>;
  const definitionOf = (pass: Pass) =>
    shown[Math.max(pass.templateVersion, template.publishedVersion)] ?? { name: template.name };
  return {
    templateId: template.id,
    total: isAll && createdSince !== undefined ? rows.length : template.total,
    rows: rows.slice(0, pageSize).map((pass) => ({ pass, definition: definitionOf(pass) })),
    hasMore,
  };
}

/** Builds the condition for passes of one of the account's templates; never reads those of another account. */
function ofTemplate(ctx: Owner, templateId: string): SQL {
  return sql`${passes.templateId} = ${templateIdNamed(ctx, templateId)}`;
}

function selection(ctx: Owner, query: PassListQuery): SQL | undefined {
  const { templateId, createdSince } = query;
  if (createdSince !== undefined) return and(ofTemplate(ctx, templateId), laterBound(query, createdSince));
  const after = lowerBound(query);
  const changed = changedSince(ctx, query);
  // All conditions are in the inner query, so that the outer one can only use the primary key.
  return changed
    ? sql`${passes.id} in (select ${passes.id} ${changed} and ${after ?? sql`true`})`
    : and(ofTemplate(ctx, templateId), after);
}

/** Builds the lower bound of the page; undefined for the first page. */
function lowerBound({ afterId, startAt }: PassListQuery): SQL | undefined {
  if (afterId !== undefined) return gt(passes.id, afterId);
  return startAt === undefined ? undefined : gte(passes.id, firstUuidAt(startAt));
}

/** Builds the later one of two lower bounds. Given both, SQLite would start at the first one that it reads. */
function laterBound(query: PassListQuery, since: number): SQL | undefined {
  const { afterId, startAt = since } = query;
  if (afterId !== undefined && afterId >= firstUuidAt(since)) return gt(passes.id, afterId);
  return gte(passes.id, firstUuidAt(afterId === undefined ? Math.max(since, startAt) : since));
}

/**
 * Builds the SQL, from `from` on, for passes changed since a time. It uses the index of changes: few rows changed, and
 * by ID all would be read.
 */
function changedSince(ctx: Owner, { templateId, modifiedSince }: PassListQuery): SQL | undefined {
  if (modifiedSince === undefined) return undefined;
  return sql`from ${passes} indexed by passes_by_template_modified
    where ${ofTemplate(ctx, templateId)} and ${gte(passes.modifiedAt, modifiedSince)}`;
}

/** Builds the total as a column next to the template's row, `templates`. */
function totalOf(ctx: Owner, query: PassListQuery): SQL<number> {
  if (query.createdSince !== undefined) return countCreatedSince(sql`${templates.id}`, query.createdSince);
  const changed = changedSince(ctx, query);
  return changed ? sql`(select ${count()} ${changed})` : sql`${templates.passCount}`;
}

/**
 * Builds the number of passes of a template created since a time. It comes from the word index, without reading passes.
 * The template is an expression, so that a batch can count for a template that it reads.
 */
function countCreatedSince(templateId: SQL, since: number): SQL<number> {
  const words = { scope: '', code: codeOf('createdOn'), isExact: true, texts: 'none' } as const;
  const { spans } = wordsOfIntervals({ kind: 'date', words }, [{ from: { value: since, open: false } }])!;
  // The scope follows the first letter of a word.
  const scoped = (place: number) => {
    const word = sql.raw(`span.value ->> ${place}`);
    return sql`substr(${word}, 1, 1) || ${templateScopeOf(templateId)} || substr(${word}, 2)`;
  };
  return sql`(select coalesce(sum(pass_term_counts.doc), 0) from json_each(${JSON.stringify(spans)}) as span
    cross join pass_term_counts
    where pass_term_counts.term >= ${scoped(0)} and pass_term_counts.term <= ${scoped(1)})`;
}
