import { chooseCertificate, signingCertificateQuery } from '../certificates/find-signing-certificate.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { type DefinedTemplate, getTemplate } from '../templates/load-definition.ts';
import { changePass, type NextState } from './change-pass.ts';
import { type DefinedPass, getDefinedPass } from './find-pass.ts';
import { completeProperties } from './property-values.ts';
import type { Pass, PropertyValue } from './table.ts';

/**
 * Moves a pass to another template of its project (specification, "Pass endpoints (v2)"). Throws not found for an unknown pass or target, and `invalid` saying which
 * requirement is not met: the pass is part of a project, the target is in the same one, both sign with the same certificate.
 */
export async function movePass(ctx: AccountContext, name: string, targetId: string): Promise<void> {
  const first = await getDefinedPass(ctx, name);
  const target = await getTemplate(ctx, targetId);
  const certificates = await signingCertificateQuery(ctx.db, ctx.account.id);
  const certificateOf = (definition: StoredDefinition) =>
    chooseCertificate(certificates, definition.passTypeId)?.passTypeId;
  const decide = (found: DefinedPass): NextState => {
    const { projectId } = found.template;
    if (!projectId) throw invalid('The pass is not part of a project');
    if (target.template.projectId !== projectId) throw invalid('The target template is not in the project of the pass');
    if (certificateOf(found.definition) !== certificateOf(target.definition)) {
      throw invalid('The two templates do not use the same signing certificate');
    }
    return movedState(found, found.pass, target);
  };
  await changePass(ctx, first.pass.id, decide, first);
}

/** The state of a pass in another template: values of properties follow by ID, then by name; what the target does not know is kept for a way back. */
export function movedState(found: DefinedPass, pass: Pass, target: DefinedTemplate): NextState {
  const { template, definition, version } = target;
  if (template.id === pass.templateId) return { pass };
  const moved = movedProperties(found.definition, definition, pass.properties);
  const properties = { ...pass.properties, ...completeProperties(definition, new Map(Object.entries(moved))) };
  return {
    pass: { ...pass, templateId: template.id, templateVersion: version, properties },
    target: { definition, version },
  };
}

function movedProperties(
  from: StoredDefinition,
  to: StoredDefinition,
  values: Record<string, PropertyValue>,
): Record<string, PropertyValue> {
  const idByName = new Map(from.additionalProperties.map(({ name, id }) => [name, id]));
  const moved: Record<string, PropertyValue> = {};
  for (const { id, name } of to.additionalProperties) {
    const value = values[id] ?? values[idByName.get(name) ?? ''];
    if (value !== undefined) moved[id] = value;
  }
  return moved;
}
