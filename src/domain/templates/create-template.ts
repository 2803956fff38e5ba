import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { hasProject } from '../projects/projects.ts';
import type { TemplateDefinition } from './definition.ts';
import { insertTemplate } from './insert-template.ts';
import { toStored } from './stored-definition.ts';

/**
 * Creates a template from a checked definition: imports its images, gives identifiers to its properties and keys to its fields.
 * Returns the template's identifier. Throws `invalid` for an unknown project, a used userProvidedId or an image that cannot be imported.
 */
export async function createTemplate(ctx: AccountContext, input: TemplateDefinition): Promise<string> {
  if (input.projectId && !(await hasProject(ctx, input.projectId))) throw unknownProject();
  return insertTemplate(ctx, await toStored(ctx, input));
}

/** The error for a definition that names a project which the account does not have. */
export function unknownProject() {
  return invalid('projectId: is not a project of this account');
}
