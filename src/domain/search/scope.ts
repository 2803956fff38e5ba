import { and, eq, sql } from 'drizzle-orm';
import { lowerUuid } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { accountScope, accountTerm, templateScope, templateTerm } from '../passes/search-index/search-terms.ts';
import { isOwnProject } from '../projects/projects.ts';
import { projects } from '../projects/table.ts';
import { isTemplateNamed, templateIdNamed } from '../template-names.ts';
import { isPermitted } from '../template-restriction.ts';
import { type Template, templates } from '../templates/table.ts';
import type { Operands } from './operands.ts';
import type { Query } from './query.ts';

/** What a search needs to know of a template; `name` is that of the newest version. */
export type ScopeTemplate = Pick<Template, keyof typeof SCOPE_TEMPLATE>;

/** The columns of a `ScopeTemplate`. */
export const SCOPE_TEMPLATE = {
  id: templates.id,
  name: templates.name,
  version: templates.version,
  publishedVersion: templates.publishedVersion,
  passCount: templates.passCount,
};

/** The passes of these templates of the account, without those of templates being deleted. */
export interface Scope {
  templates: ScopeTemplate[];
  /** Words of which every pass in the scope has one. */
  match: string;
  /** Whether no other pass has one of them. */
  isExact: boolean;
  /** Scope of the account's words. */
  account: string;
  /** Scope of the words of flags, numbers and dates, and whether they alone stay inside the query's scope. */
  builtIn: { scope: string; isExact: boolean };
}

/** An account with more templates is named as a whole in a match, and rows tell their template. */
export const NAMED_TEMPLATES_MAX = 200;

/** The scope of a query. One round trip; throws not found for an unknown or foreign template or project. */
export async function getScope(ctx: AccountContext, { templateId, projectId }: Query): Promise<Scope> {
  const mine = and(eq(templates.accountId, ctx.account.id), isPermitted(ctx, templates.id));
  const chosen = and(
    mine,
    templateId ? isTemplateNamed(ctx, templateId) : undefined,
    projectId ? eq(templates.projectId, lowerUuid(projectId)) : undefined,
  );
  const [found, [known]] = await ctx.db.batch([
    ctx.db.select(SCOPE_TEMPLATE).from(templates).where(chosen).orderBy(templates.id),
    ctx.db
      .select({
        template: sql<number>`${templateId ?? null} is null or ${templateIdNamed(ctx, templateId ?? '')} is not null`,
        project: sql<number>`${projectId ?? null} is null or exists (select 1 from ${projects}
          where ${and(isOwnProject(ctx), eq(projects.id, lowerUuid(projectId ?? '')))})`,
      })
      .from(sql`(select 1)`),
  ]);
  if (!known?.template || !known.project) throw notFound();
  return scopeOf(ctx, found);
}

/** The scope of these templates, which must be the account's. */
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

/** SQL that holds for passes of the scope's templates. */
export function isInScope(scope: Scope, operands: Operands) {
  return sql`passes.template_id in ${operands.list(scope.templates.map(({ id }) => id))}`;
}

/** A word that no pass has: other words of its kind go on with a scope in hexadecimal digits. */
export const NEVER = 'never';

/** The expression of an index for words of which one must be there. */
export function anyOf(words: string[]): string {
  if (words.length < 2) return words[0] ?? NEVER;
  return `(${words.join(' OR ')})`;
}
