import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { recordEvent } from '../events/record-event.ts';
import { passes } from '../passes/table.ts';
import type { StoredDefinition } from './definition.ts';
import { templateColumns } from './insert-template.ts';
import { type Template, templates, templateVersions } from './table.ts';
import { templateEventBody } from './template-event.ts';

/** The number of a template's passes that are on a device, as `active`. */
export function activePassesQuery(ctx: AccountContext, templateId: string) {
  const active = sql<number>`count(*)`.as('active');
  // Spelt out rather than bound: only then does the partial index of active passes serve.
  return ctx.db
    .select({ active })
    .from(passes)
    .where(and(eq(passes.templateId, templateId), sql`${passes.numberOfActive} > 0`));
}

/**
 * The statements that make `definition` the newest version of a template, for the batch of an edit: event and version, then the template's row, which returns its version
 * when `applies` held. `active` is what `activePassesQuery` found.
 */
export function newVersion(
  ctx: AccountContext,
  template: Template,
  definition: StoredDefinition,
  active: number,
  applies: SQL,
) {
  const { id } = template;
  const version = template.version + 1;
  const now = Date.now();
  const columns = templateColumns(definition);
  const body = templateEventBody({ ...template, name: columns.name }, active);
  return {
    version,
    followers: [
      recordEvent(ctx, { type: 'pass_template_updated', templateId: id, body, condition: applies }),
      ctx.db
        .insert(templateVersions)
        .select(sql`select ${id}, ${version}, ${JSON.stringify(definition)}, ${now} where ${applies}`),
    ],
    update: ctx.db
      .update(templates)
      .set({ ...columns, version, modifiedAt: now })
      .where(and(eq(templates.id, id), applies))
      .returning({ version: templates.version }),
  };
}
