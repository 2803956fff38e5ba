import { canSign } from '../certificates/find-signing-certificate.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { hasProject } from '../projects/projects.ts';
import type { TemplateDefinition } from './definition.ts';
import { insertTemplate } from './insert-template.ts';
import { checkDefaults } from './property-value.ts';
import {
  type CreatedTemplate,
  defaultImagesOf,
  type OmittedImage,
  originOfDefaults,
  toStored,
  withTierIds,
} from './stored-definition.ts';

/**
 * Creates a template from a checked definition. An undefined icon or logo comes from the account if it can be imported;
 * null means none. Throws `invalid` for an unknown project or pass type, a used userProvidedId, a default of
 * another type than its property's, or an image of the caller that can't be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<CreatedTemplate> {
  checkDefaults(input);
  if (input.projectId && !(await hasProject(ctx, input.projectId))) throw unknownProject();
  const { passTypeId } = input;
  const precondition = passTypeId
    ? { holds: canSign(ctx.account.id, passTypeId), refusal: unknownPassType() }
    : undefined;
  const taken = defaultImagesOf(ctx.account).filter(({ role }) => input.images[role] === undefined);
  const defaults = Object.fromEntries(taken.map(({ role, of }) => [role, ctx.account[of]]));
  const complete = { ...(await withTierIds(ctx, input)), images: { ...input.images, ...defaults } };
  const omitted: OmittedImage[] = [];
  const definition = await toStored(ctx, complete, originOfDefaults(taken, omitted));
  return { identifier: await insertTemplate(ctx, definition, { precondition }), omitted };
}

/** Builds the error for a pass type for which the account has no certificate. */
export function unknownPassType() {
  return invalidField('passTypeId', 'is not the pass type of any certificate of this account');
}

/** Builds the error for a project that the account doesn't have. */
export function unknownProject() {
  return invalidField('projectId', 'is not a project of this account');
}
