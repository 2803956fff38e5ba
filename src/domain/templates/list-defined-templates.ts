import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import type { AccountContext, Owner } from '../context.ts';
import { notifications } from '../notifications/table.ts';
import { projects } from '../projects/table.ts';
import { isPermitted } from '../template-restriction.ts';
import type { StoredDefinition } from './definition.ts';
import { cacheDefinition } from './get-template.ts';
import { type Template, templates, templateVersions } from './table.ts';

/** Template as a list shows it. */
export interface ListedTemplate {
  template: Template;
  definition: StoredDefinition;
  projectName: string | null;
  /** When its newest changes reach existing passes (UTC milliseconds), if scheduled. */
  publicationAt: number | null;
}

/**
 * Lists the account's templates with their newest definitions, newest template first: at most `limit` before
 * `beforeId`. `search` filters by a part of the name, ignoring the case of ASCII letters. One round trip.
 */
export async function listDefinedTemplates(
  ctx: AccountContext,
  { limit, beforeId, search }: { limit: number; beforeId?: string; search?: string },
): Promise<ListedTemplate[]> {
  const rows = await ctx.db
    .select({
      template: templates,
      definition: templateVersions.definition,
      // Renamed, because D1 returns one column per name.
      projectName: sql<string | null>`${projects.name}`.as('project_name'),
      publicationAt: notifications.publicationAt,
    })
    .from(templates)
    .innerJoin(
      templateVersions,
      and(eq(templateVersions.templateId, templates.id), eq(templateVersions.version, templates.version)),
    )
    .leftJoin(projects, eq(projects.id, templates.projectId))
    // Same condition as the unique index that allows one scheduled publication per template.
    .leftJoin(
      notifications,
      and(
        eq(notifications.templateId, templates.id),
        sql`${notifications.version} is not null and ${notifications.state} = 'scheduled'`,
      ),
    )
    .where(
      and(
        eq(templates.accountId, ctx.account.id),
        beforeId === undefined ? undefined : lt(templates.id, beforeId),
        search ? sql`instr(lower(${templates.name}), lower(${search})) > 0` : undefined,
      ),
    )
    .orderBy(desc(templates.id))
    .limit(limit);
  for (const { template, definition } of rows) cacheDefinition(template.id, template.version, definition);
  return rows;
}

/** Template as an overview shows it. `passCount` is the number of existing passes. */
export type TemplateFacts = Pick<Template, 'id' | 'name' | 'passCount'>;

/** Lists the account's templates, oldest first. */
export function listTemplateFacts(ctx: AccountContext): Promise<TemplateFacts[]> {
  return ctx.db
    .select({ id: templates.id, name: templates.name, passCount: templates.passCount })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id))
    .orderBy(asc(templates.id));
}

/** Lists the IDs and names of the account's templates, oldest first. */
export function listTemplates(owner: Owner) {
  return owner.db
    .select({ identifier: templates.id, name: templates.name })
    .from(templates)
    .where(and(eq(templates.accountId, owner.account.id), isPermitted(owner, templates.id)))
    .orderBy(asc(templates.id));
}
