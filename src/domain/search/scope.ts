import { and, eq, type SQL, sql } from 'drizzle-orm';
import { type BatchPart, readPart } from '../../platform/batch-part.ts';
import { lowerUuid } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import {
  accountScope,
  accountTerm,
  templateScope,
  templateTerm,
  templateTermOf,
} from '../passes/search-index/search-terms.ts';
import { isOwnProject } from '../projects/projects.ts';
import { projects } from '../projects/table.ts';
import { isPermitted, templateIdNamed } from '../template-restriction.ts';
import { type Template, templates } from '../templates/table.ts';
import type { Operands } from './operands.ts';
import type { Query } from './query.ts';

/** The columns of a template that a search needs; `name` is from the newest version. */
export type ScopeTemplate = Pick<Template, keyof typeof SCOPE_TEMPLATE>;

/** Columns of a `ScopeTemplate`. */
export const SCOPE_TEMPLATE = {
  id: templates.id,
  name: templates.name,
  version: templates.version,
  publishedVersion: templates.publishedVersion,
  passCount: templates.passCount,
};

/** Passes of these templates of the account, except templates being deleted. */
export interface Scope {
  templates: ScopeTemplate[];
  /** Expression of words; every pass in the scope has one of them. */
  match: string;
  /** Whether no other pass has one of these words. */
  isExact: boolean;
  /** Scope of words in the account. */
  account: string;
  /** Scope of the words of flags, numbers and dates, and whether all of them belong to the query's scope. */
  builtIn: { scope: string; isExact: boolean };
}

/**
 * Maximum number of templates named in a match; with more, it names the account and rows are checked for their
 * template.
 */
export const NAMED_TEMPLATES_MAX = 200;

/** Builds the condition for the account's templates that a query names. */
function isNamedTemplate(owner: Owner, { templateId, projectId }: Query): SQL | undefined {
  return and(
    eq(templates.accountId, owner.account.id),
    // Looks up the identifier first: the condition on names reads more rows.
    templateId ? sql`${templates.id} = ${templateIdNamed(owner, templateId)}` : isPermitted(owner, templates.id),
    projectId ? eq(templates.projectId, lowerUuid(projectId)) : undefined,
  );
}

/** Builds the `match` of a scope that isn't known yet; it matches nothing if the scope has too many templates. */
export function scopeMatch(owner: Owner, names: Query): SQL {
  const words = sql`select group_concat(${templateTermOf(sql`${templates.id}`)}, ' OR ') from ${templates}
    where ${isNamedTemplate(owner, names)} having count(*) between 1 and ${NAMED_TEMPLATES_MAX}`;
  return sql`coalesce((${words}), ${NEVER})`;
}

/** Rows from which a scope is made. */
export interface ScopeRead {
  found: ScopeTemplate[];
  /** Whether the template and project that the query names exist. */
  isKnown: boolean;
}

/** Builds the queries of a query's scope. */
export function scopePart(owner: Owner, { templateId, projectId }: Query): BatchPart<ScopeRead> {
  const { db } = owner;
  const found = db
    .select(SCOPE_TEMPLATE)
    .from(templates)
    .where(isNamedTemplate(owner, { templateId, projectId }))
    .orderBy(templates.id);
  if (!projectId) {
    const read = ([rows]: unknown[]) => rows as ScopeTemplate[];
    return {
      queries: [found],
      read: (results) => ({ found: read(results), isKnown: !templateId || read(results).length > 0 }),
    };
  }
  const template = templateId ? sql`${templateIdNamed(owner, templateId)} is not null` : sql`true`;
  const isTarget = and(isOwnProject(owner), eq(projects.id, lowerUuid(projectId)));
  const known = sql`select ${template} and exists (select 1 from ${projects} where ${isTarget}) as known`;
  return {
    queries: [found, rawStatement(db, known)],
    read(results) {
      const [rows, [first]] = results as [ScopeTemplate[], { known: number }[]];
      return { found: rows, isKnown: Boolean(first?.known) };
    },
  };
}

/** Returns the scope of a query. One round trip. Throws not found for an unknown or foreign template or project. */
export async function getScope(ctx: AccountContext, query: Query): Promise<Scope> {
  return toScope(ctx, await readPart(ctx.db, scopePart(ctx, query)));
}

/** Builds the scope from the results of `scopePart`. Throws not found for an unknown or foreign template or project. */
export function toScope(ctx: AccountContext, { found, isKnown }: ScopeRead): Scope {
  if (!isKnown) throw notFound();
  return scopeOf(ctx, found);
}

/** Builds the scope of these templates, which must belong to the account. */
export function scopeOf(ctx: AccountContext, found: ScopeTemplate[]): Scope {
  const isNamed = found.length <= NAMED_TEMPLATES_MAX;
  const [first] = found;
  const isOne = first !== undefined && found.length === 1;
  return {
    templates: found,
    match: isNamed ? anyOf(found.map(({ id }) => templateTerm(id))) : accountTerm(ctx.account.id),
    isExact: isNamed,
    account: accountScope(ctx.account.id),
    builtIn: { scope: isOne ? templateScope(first.id) : accountScope(ctx.account.id), isExact: isOne },
  };
}

/** Builds the condition for passes of the scope's templates. */
export function isInScope(scope: Scope, operands: Operands) {
  return sql`passes.template_id in ${operands.list(scope.templates.map(({ id }) => id))}`;
}

/** A word that no pass has: in other words of its kind, a scope in hexadecimal digits follows the first letter. */
export const NEVER = 'never';

/** Builds an FTS5 expression that matches any of the words. */
export function anyOf(words: string[]): string {
  if (words.length < 2) return words[0] ?? NEVER;
  return `(${words.join(' OR ')})`;
}
