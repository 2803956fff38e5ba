import { and, asc, eq, isNull, ne, or, sql } from 'drizzle-orm';
import { certificates } from '../certificates/table.ts';
import type { AccountContext } from '../context.ts';
import { scheduledPublicationQuery } from '../notifications/list-month.ts';
import type { Notification } from '../notifications/table.ts';
import { projects } from '../projects/table.ts';
import { type DefinedTemplate, newestDefinitionQuery, toDefinedTemplate } from './get-template.ts';
import { templates } from './table.ts';

/** Number of templates offered by name. Any other template of the project can be entered by its ID. */
const SIBLINGS_OFFERED_MAX = 200;

export interface NamedChoice {
  id: string;
  name: string;
}

/** Template with the choices that its editor offers. */
export interface OpenedTemplate extends DefinedTemplate {
  /** The account's projects, oldest first. */
  projects: NamedChoice[];
  /** Pass types for which the account has a certificate. */
  passTypeIds: string[];
  /** Other templates of its project, at most SIBLINGS_OFFERED_MAX, newest first. */
  siblings: NamedChoice[];
  publication?: Notification;
}

/** Opens a template of the account for editing. One round trip. Throws not found. */
export async function openTemplate(ctx: AccountContext, id: string): Promise<OpenedTemplate> {
  const mine = eq(templates.accountId, ctx.account.id);
  const project = sql`(select ${templates.projectId} from ${templates} where ${and(eq(templates.id, id), mine)})`;
  const [rows, projectRows, typeRows, siblings, [publication]] = await ctx.db.batch([
    newestDefinitionQuery(ctx, id),
    ctx.db
      .select({ id: projects.id, name: projects.name })
      .from(projects)
      .where(eq(projects.accountId, ctx.account.id))
      .orderBy(asc(projects.id)),
    ctx.db
      .selectDistinct({ passTypeId: certificates.passTypeId })
      .from(certificates)
      .where(or(eq(certificates.accountId, ctx.account.id), isNull(certificates.accountId)))
      .orderBy(asc(certificates.passTypeId)),
    ctx.db
      .select({ id: templates.id, name: templates.name })
      .from(templates)
      .where(and(mine, sql`${templates.projectId} = ${project}`, ne(templates.id, id)))
      .orderBy(sql`${templates.id} desc`)
      .limit(SIBLINGS_OFFERED_MAX),
    scheduledPublicationQuery(ctx, id),
  ]);
  return {
    ...toDefinedTemplate(rows[0]),
    projects: projectRows,
    passTypeIds: typeRows.map(({ passTypeId }) => passTypeId),
    siblings,
    publication,
  };
}
