import { and, eq, lt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { passes } from '../passes/table.ts';
import { isOwnTemplate } from '../template-names.ts';
import { templates } from './table.ts';

/**
 * Devices compare whole seconds, so a publication lies at least one behind whatever they have seen of the template
 * (Apple, Wallet Passes).
 */
const CHANGE_DISTANCE_MS = 1_000;

/**
 * The statement that publishes a version of a template: from then on existing passes show it. It writes one row,
 * however many passes there are. No version is ever taken back: an earlier one, or the same again, changes nothing, so
 * it may run twice. Returns a row when it changed something.
 */
export function publishVersion(ctx: Context, accountId: string, templateId: string, version: number) {
  const lastChange = sql`(select max(${passes.modifiedAt}) from ${passes} where ${eq(passes.templateId, templates.id)})`;
  const seenAt = sql`max(${templates.publishedAt}, coalesce(${lastChange}, 0))`;
  return ctx.db
    .update(templates)
    .set({ publishedVersion: version, publishedAt: sql`max(${Date.now()}, ${seenAt} + ${CHANGE_DISTANCE_MS})` })
    .where(and(isOwnTemplate(accountId, templateId), lt(templates.publishedVersion, version)))
    .returning({ version: templates.publishedVersion });
}
