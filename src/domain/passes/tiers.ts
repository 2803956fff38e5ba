import type { AccountContext } from '../context.ts';
import { DomainError, invalidField } from '../errors.ts';
import { unrestricted } from '../template-restriction.ts';
import type { NextState } from './change-pass.ts';
import type { DefinedPass } from './find-pass.ts';
import { getMoveTarget, hasSameSigner, type MoveTarget, movedState } from './move-pass.ts';
import type { Pass } from './table.ts';

/** Finds a target template for passes of the account; throws not found. */
export type TemplateOf = (ctx: AccountContext, templateId: string) => Promise<MoveTarget>;

/**
 * Applies the template's pass functionality: when `storedValue` changes, the pass moves to the template of the highest
 * tier reached. Tiers of deleted templates are skipped. Throws `invalid` if the pass can't move there.
 */
export async function applyTiers(
  ctx: AccountContext,
  found: DefinedPass,
  pass: Pass,
  templateOf: TemplateOf = getMoveTarget,
): Promise<NextState> {
  const { storedValue } = pass;
  const tiers = found.definition.passFunctionality?.tiers ?? [];
  if (storedValue === null || storedValue === found.pass.storedValue) return { pass };
  const reached = tiers
    .filter((tier) => tier.minimumValue <= storedValue)
    .sort((a, b) => b.minimumValue - a.minimumValue);
  for (const { templateId, minimumValue } of reached) {
    if (templateId === pass.templateId) return { pass };
    // A tier moves the pass no matter which key sets its value.
    const target = await templateOf(unrestricted(ctx), templateId).catch(absent);
    if (!target) continue;
    // A tier may name its own template by its userProvidedId.
    if (target.template.id === pass.templateId) return { pass };
    if (!hasSameSigner(found, target))
      throw invalidField('storedValue', 'its tier uses a different signing certificate than the pass');
    const { definition, version } = target;
    return { ...movedState(found, pass, target), target: { definition, version, tierFrom: minimumValue } };
  }
  return { pass };
}

function absent(error: unknown): undefined {
  if (error instanceof DomainError && error.kind === 'not_found') return undefined;
  throw error;
}
