import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import type { AccountContext, Owner } from '../context.ts';
import { notifications } from '../notifications/table.ts';
import { projects } from '../projects/table.ts';
import { isPermitted } from '../template-restriction.ts';
import type { StoredDefinition } from './definition.ts';
import { cacheDefinition } from './get-template.ts';
import { type Template, templates, templateVersions } from './table.ts';

/** A template as a list draws it. */
export interface ListedTemplate {
  template: Template;
  definition: StoredDefinition;
  projectName: string | null;
  /** When its newest changes reach existing passes (UTC milliseconds), if that is scheduled. */
  publicationAt: number | null;
}

/**
 * Templates of the account with their newest definitions, newest template first: at most `limit` of those before
 * `beforeId`. `search` keeps those whose name holds it, whatever the case of its ASCII letters. One round trip.
 */
export async function listDefinedTemplates(
  ctx: AccountContext,
  { limit, beforeId, search }: { limit: number; beforeId?: string; search?: string },
): Promise<ListedTemplate[]> {
  const rows = await ctx.db
    .select({
      template: templates,
      definition: templateVersions.definition,
      // Its column repeats the name of another, and D1 keeps one column a name.
      projectName: sql<string | null>`${projects.name}`.as('project_name'),
      publicationAt: notifications.publicationAt,
    })
    .from(templates)
    .innerJoin(
      templateVersions,
      and(eq(templateVersions.templateId, templates.id), eq(templateVersions.version, templates.version)),
    )
    .leftJoin(projects, eq(projects.id, templates.projectId))
    // In the words of the unique index that allows one scheduled publication a template.
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

/** What a person's overview shows of a template; `passCount` is the number of existing passes. */
export type TemplateFacts = Pick<Template, 'id' | 'name' | 'passCount'>;

/** The account's templates, oldest first. */
export function listTemplateFacts(ctx: AccountContext): Promise<TemplateFacts[]> {
  return ctx.db
    .select({ id: templates.id, name: templates.name, passCount: templates.passCount })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id))
    .orderBy(asc(templates.id));
}

/** Identifier and name of each template of the account, oldest first. */
export function listTemplates(owner: Owner) {
  return owner.db
    .select({ identifier: templates.id, name: templates.name })
    .from(templates)
    .where(and(eq(templates.accountId, owner.account.id), isPermitted(owner, templates.id)))
    .orderBy(asc(templates.id));
}
