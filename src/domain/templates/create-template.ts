import { canSign } from '../certificates/find-signing-certificate.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { hasProject } from '../projects/projects.ts';
import type { TemplateDefinition } from './definition.ts';
import { insertTemplate } from './insert-template.ts';
import {
  type CreatedTemplate,
  defaultImagesOf,
  type OmittedImage,
  originOfDefaults,
  toStored,
  withTierIds,
} from './stored-definition.ts';

/**
 * Creates a template from a checked definition. An undefined icon or logo comes from the account, unless that image
 * cannot be imported; null means none. Throws `invalid` for an unknown project or pass type, a used userProvidedId, or
 * an image of the caller that cannot be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<CreatedTemplate> {
  if (input.projectId && !(await hasProject(ctx, input.projectId))) throw unknownProject();
  const { passTypeId } = input;
  const ground = passTypeId ? { holds: canSign(ctx.account.id, passTypeId), refusal: unknownPassType() } : undefined;
  const taken = defaultImagesOf(ctx.account).filter(({ role }) => input.images[role] === undefined);
  const defaults = Object.fromEntries(taken.map(({ role, of }) => [role, ctx.account[of]]));
  const complete = { ...(await withTierIds(ctx, input)), images: { ...input.images, ...defaults } };
  const omitted: OmittedImage[] = [];
  const definition = await toStored(ctx, complete, originOfDefaults(taken, omitted));
  return { identifier: await insertTemplate(ctx, definition, { ground }), omitted };
}

/** The error for a definition that names a pass type for which the account has no certificate. */
export function unknownPassType() {
  return invalidField('passTypeId', 'is not a pass type of a certificate of this account');
}

/** The error for a definition that names a project which the account does not have. */
export function unknownProject() {
  return invalidField('projectId', 'is not a project of this account');
}
