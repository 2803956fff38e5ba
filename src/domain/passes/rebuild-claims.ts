import { and, asc, gt, gte, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { templates } from '../templates/table.ts';
import { claimAllOf, type PassPage, pageEndQuery, passesOfPage } from './unique-values.ts';

/** Pages per call. */
const PAGES_MAX = 20;

/**
 * Claims the unique values of restored passes, template by template, and returns the place for the next call; null at
 * the end. A backup reads claims and passes at different times, so its claims can be those of other values. If two
 * passes have the same value, the first one claims it.
 */
export async function rebuildClaims(ctx: Context, after = '/'): Promise<string | null> {
  let [templateId = '', passId = ''] = after.split('/');
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const isNext = passId === '' ? gt(templates.id, templateId) : gte(templates.id, templateId);
    const [template] = await ctx.db
      .select({ id: templates.id, accountId: templates.accountId, propertyIds: templates.uniqueProperties })
      .from(templates)
      .where(and(isNext, sql`${templates.uniqueProperties} <> '[]'`))
      .orderBy(asc(templates.id))
      .limit(1);
    if (!template) return null;
    const { id, accountId, propertyIds } = template;
    const page: PassPage = { after: id === templateId ? passId : '', passes: passesOfPage(propertyIds.length) };
    const acting = { ...ctx, account: { id: accountId } } as AccountContext;
    const [[end]] = await ctx.db.batch([
      pageEndQuery(acting, id, page),
      claimAllOf(acting, id, propertyIds, sql`true`, page).onConflictDoNothing(),
    ]);
    templateId = id;
    passId = end!.count === page.passes ? end!.last! : '';
  }
  return `${templateId}/${passId}`;
}
