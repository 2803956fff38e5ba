import { and, asc, count, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt, UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { templates } from '../templates/table.ts';
import { type Pass, passes } from './table.ts';

export interface PassListQuery {
  templateId: string;
  /** Number of passes before the page; used only without `afterId`. */
  start: number;
  pageSize: number;
  /** Identifier of the last pass of the page before. */
  afterId?: string;
  /** UTC milliseconds. */
  createdSince?: number;
  /** UTC milliseconds; ignored beside `createdSince` (specification). */
  modifiedSince?: number;
}

export interface PassPage {
  templateName: string;
  /** Passes that the query selects, on all pages. */
  total: number;
  passes: Pass[];
  hasMore: boolean;
}

/**
 * One page of a template's passes, oldest first. One round trip; a page read by `afterId` costs its own rows at any depth, and `total` without
 * a date is the template's kept count. Throws not found for an unknown template.
 */
export async function listPasses(ctx: AccountContext, query: PassListQuery): Promise<PassPage> {
  const { templateId, pageSize } = query;
  if (!UUID_PATTERN.test(templateId)) throw notFound();
  const selected = selection(ctx, query);
  const filtered = query.createdSince !== undefined || query.modifiedSince !== undefined;
  const after = query.afterId === undefined ? undefined : gt(passes.id, query.afterId);
  const [[template], rows] = await ctx.db.batch([
    ctx.db
      .select({
        name: templates.name,
        total: filtered
          ? sql<number>`(select ${count()} from ${passes} where ${selected})`.as('total')
          : sql<number>`${templates.passCount}`.as('total'),
      })
      .from(templates)
      .where(and(eq(templates.id, templateId), eq(templates.accountId, ctx.account.id))),
    ctx.db
      .select()
      .from(passes)
      .where(and(selected, after))
      .orderBy(asc(passes.id))
      .limit(pageSize + 1)
      .offset(after ? 0 : query.start),
  ]);
  if (!template) throw notFound();
  return {
    templateName: template.name,
    total: template.total,
    passes: rows.slice(0, pageSize),
    hasMore: rows.length > pageSize,
  };
}

/** A foreign template selects nothing, and costs nothing: its passes are never looked at. */
function selection(ctx: AccountContext, { templateId, createdSince, modifiedSince }: PassListQuery): SQL | undefined {
  const ofTemplate = sql`${passes.templateId} = (select id from ${templates}
    where id = ${templateId} and account_id = ${ctx.account.id})`;
  if (createdSince !== undefined) return and(ofTemplate, gte(passes.id, firstUuidAt(createdSince)));
  if (modifiedSince !== undefined) return and(ofTemplate, gte(passes.modifiedAt, modifiedSince));
  return ofTemplate;
}
