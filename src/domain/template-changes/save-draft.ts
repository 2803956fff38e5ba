import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { TemplateDefinition } from '../templates/definition.ts';
import { wireDefinition } from '../templates/describe-template.ts';
import { differences } from '../templates/differences.ts';
import { changeTemplate } from './change-template.ts';

/**
 * Makes a definition the newest of a template if `version` is still the newest, and returns the version that is the
 * newest then; a definition that differs in nothing that counts (see `differences`) writes nothing. Throws `conflict`
 * when somebody else has saved meanwhile, and what `changeTemplate` throws.
 */
export function saveDraft(
  ctx: AccountContext,
  id: string,
  { version, input }: { version: number; input: TemplateDefinition },
): Promise<number> {
  return changeTemplate(ctx, id, (found) => {
    if (found.version !== version) {
      throw new DomainError('conflict', 'Someone else saved this template after you opened it');
    }
    const before = wireDefinition(ctx, found.definition);
    return differences(before, input).length === 0 ? checked(TemplateDefinition, before) : input;
  });
}
