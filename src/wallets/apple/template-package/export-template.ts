import { recordView } from '../../../domain/audit/record-action.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { getTemplate } from '../../../domain/templates/get-template.ts';
import { type PackedTemplate, packTemplate } from './pack-template.ts';

/**
 * Returns a template's newest definition as the ZIP of a `.pkpasstemplate` folder, and records the export in the audit
 * log. Throws `not_found`.
 */
export async function exportTemplate(ctx: AccountContext, id: string): Promise<PackedTemplate> {
  const { template, definition } = await getTemplate(ctx, id);
  const packed = await packTemplate(ctx, definition);
  const target = { type: 'template', id: template.id, name: template.name };
  await recordView(ctx, { action: 'template.export', target });
  return packed;
}
