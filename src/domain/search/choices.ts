import { asc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { projects } from '../projects/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { newestDefinitionQuery, toDefinedTemplate } from '../templates/get-template.ts';
import { templates } from '../templates/table.ts';
import { SCOPE_TEMPLATE, type Scope, type ScopeTemplate, scopeOf } from './scope.ts';
import { listSegments, type Segment } from './segments.ts';

/** Options of the search form, each list oldest first. */
export interface SearchChoices {
  templates: (ScopeTemplate & { projectId: string | null })[];
  projects: { id: string; name: string }[];
  segments: Segment[];
  /** Newest definition of the requested template; undefined for an unknown one. */
  definition?: StoredDefinition;
}

/** Returns the account's templates, projects and segments, and the definition of one template. One round trip. */
export async function searchChoices(ctx: AccountContext, templateId = ''): Promise<SearchChoices> {
  const { id, projectId } = templates;
  const [foundTemplates, foundProjects, foundSegments, [defined]] = await ctx.db.batch([
    ctx.db
      .select({ ...SCOPE_TEMPLATE, projectId })
      .from(templates)
      .where(eq(templates.accountId, ctx.account.id))
      .orderBy(asc(id)),
    ctx.db
      .select({ id: projects.id, name: projects.name })
      .from(projects)
      .where(eq(projects.accountId, ctx.account.id))
      .orderBy(asc(projects.id)),
    listSegments(ctx),
    newestDefinitionQuery(ctx, templateId),
  ]);
  const definition = defined && toDefinedTemplate(defined).definition;
  return { templates: foundTemplates, projects: foundProjects, segments: foundSegments, definition };
}

/**
 * Builds the scope of a query from the choices, without a round trip. Throws not found for a template or project that
 * isn't among them.
 */
export function chosenScope(
  ctx: AccountContext,
  choices: SearchChoices,
  { templateId, projectId }: { templateId?: string; projectId?: string },
): Scope {
  if (templateId && !choices.templates.some(({ id }) => id === templateId)) throw notFound();
  if (projectId && !choices.projects.some(({ id }) => id === projectId)) throw notFound();
  const found = choices.templates.filter(
    (one) => (!templateId || one.id === templateId) && (!projectId || one.projectId === projectId),
  );
  return scopeOf(ctx, found);
}
