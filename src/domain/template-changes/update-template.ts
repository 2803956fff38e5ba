import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { type CopyFields, fieldsPatch, imageFieldsOf } from '../templates/copy-fields.ts';
import { TemplateDefinition } from '../templates/definition.ts';
import { wireDefinition } from '../templates/describe-template.ts';
import type { DefinedTemplate } from '../templates/get-template.ts';
import { patchDefinition, type TemplatePatch } from '../templates/template-patch.ts';
import { changeTemplate } from './change-template.ts';

/*
 * An edit is a draft: new passes use it at once, existing ones show it when it is published.
 */

/** Replaces the whole definition of a template; what is not sent gets its default. See `changeTemplate`. */
export function replaceTemplate(ctx: AccountContext, id: string, input: TemplateDefinition): Promise<number> {
  return changeTemplate(ctx, id, () => input);
}

/** Changes the parts of a definition that are sent; null clears. See `changeTemplate`. */
export function patchTemplate(ctx: AccountContext, id: string, patch: TemplatePatch): Promise<number> {
  return changeTemplate(ctx, id, patchedBy(ctx, patch));
}

/** The deprecated update: changes what the fields of a copy can say. See `changeTemplate`. */
export function updateTemplate(ctx: AccountContext, id: string, fields: CopyFields): Promise<number> {
  return changeTemplate(ctx, id, patchedBy(ctx, fieldsPatch(ctx, fields)), imageFieldsOf(ctx, fields));
}

function patchedBy(ctx: AccountContext, patch: TemplatePatch) {
  return ({ definition }: DefinedTemplate) =>
    checked(TemplateDefinition, patchDefinition(wireDefinition(ctx, definition), patch));
}
