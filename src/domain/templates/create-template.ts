import { maySign } from '../certificates/find-signing-certificate.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { hasProject } from '../projects/projects.ts';
import type { TemplateDefinition } from './definition.ts';
import { insertTemplate } from './insert-template.ts';
import { type Origin, toStored } from './stored-definition.ts';

/**
 * Creates a template from a checked definition: imports its images, gives identifiers to its properties and keys to its fields. Where the definition says nothing of icon or logo, the account's are taken; null means
 * none. Returns the template's identifier. Throws `invalid` for an unknown project or pass type, a used userProvidedId or an image that cannot be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<string> {
  if (input.projectId && !(await hasProject(ctx, input.projectId))) throw unknownProject();
  const { passTypeId } = input;
  const ground = passTypeId ? { holds: maySign(ctx.account.id, passTypeId), refusal: unknownPassType() } : undefined;
  return insertTemplate(ctx, await toStored(ctx, ...withDefaults(ctx, input)), ground);
}

/** The definition with the account's images where it has none, and what errors call these. */
function withDefaults({ account }: AccountContext, input: TemplateDefinition): [TemplateDefinition, Origin] {
  const missing = DEFAULT_IMAGES.filter(({ role, of }) => input.images[role] === undefined && account[of]);
  const images = Object.fromEntries(missing.map(({ role, of }) => [role, account[of]]));
  const imageFields = Object.fromEntries(
    missing.map(({ role, of }) => [role, `images.${role} (${of} of the account)`]),
  );
  return [{ ...input, images: { ...input.images, ...images } }, { imageFields }];
}

const DEFAULT_IMAGES = [
  { role: 'icon', of: 'iconUrl' },
  { role: 'logo', of: 'logoUrl' },
] as const;

/** The error for a definition that names a pass type for which the account has no certificate. */
export function unknownPassType() {
  return invalid('passTypeId: is not a pass type of a certificate of this account');
}

/** The error for a definition that names a project which the account does not have. */
export function unknownProject() {
  return invalid('projectId: is not a project of this account');
}
