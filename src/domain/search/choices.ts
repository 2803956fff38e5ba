import { asc, eq, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { projects } from '../projects/table.ts';
import { isTemplateNamed } from '../template-restriction.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { newestDefinitionQuery, toDefinedTemplate } from '../templates/get-template.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { SCOPE_TEMPLATE, type Scope, type ScopeTemplate, scopeOf } from './scope.ts';
import { listSegments, type Segment } from './segments.ts';

/** Options of the search form, each list oldest first. */
export interface SearchChoices {
  templates: (ScopeTemplate & { projectId: string | null })[];
  projects: { id: string; name: string }[];
  segments: Segment[];
  /**
   * Newest definition of the requested template; undefined for an unknown one. Properties are personal if they are in
   * any version that passes may show.
   */
  definition?: StoredDefinition;
}

/** Returns the account's templates, projects and segments, and the definition of one template. One round trip. */
export async function searchChoices(ctx: AccountContext, templateId = ''): Promise<SearchChoices> {
  const { id, projectId } = templates;
  const [foundTemplates, foundProjects, foundSegments, [defined], personal] = await ctx.db.batch([
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
    personalQuery(ctx, templateId),
  ]);
  const definition = defined && withPersonal(toDefinedTemplate(defined).definition, personal);
  return { templates: foundTemplates, projects: foundProjects, segments: foundSegments, definition };
}

/** Builds the query of the properties that are personal in a version that passes may show. */
function personalQuery(ctx: AccountContext, templateId: string) {
  return rawStatement<{ id: string }>(
    ctx.db,
    sql`select property.value ->> '$.id' as id from ${templates}
      join ${templateVersions} on template_id = templates.id and template_versions.version >= published_version,
      json_each(definition, '$.additionalProperties') as property
      where ${isTemplateNamed(ctx, templateId)} and property.value ->> '$.personal'`,
  );
}

function withPersonal(definition: StoredDefinition, personal: { id: string }[]): StoredDefinition {
  const additionalProperties = definition.additionalProperties.map((property) => ({
    ...property,
    personal: personal.some(({ id }) => id === property.id),
  }));
  return { ...definition, additionalProperties };
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
