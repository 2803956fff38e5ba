import { and, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { recordEvent } from '../events/record-event.ts';
import { isOwnTemplate } from '../template-names.ts';
import type { StoredDefinition } from './definition.ts';
import { templateColumns, templateEventBody } from './insert-template.ts';
import { type Template, templates, templateVersions } from './table.ts';

/**
 * The statements that make `definition` the newest version of a template, for the batch of an edit: event and version,
 * then the template's row, which returns its version when `applies` held. `active` is the number of its passes that are
 * on a device.
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
      .where(and(isOwnTemplate(ctx.account.id, id), applies))
      .returning({ version: templates.version }),
  };
}
