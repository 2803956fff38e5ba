import { sql } from 'drizzle-orm';
import { lowerUuid } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { templateIdNamed } from '../template-names.ts';
import type { TemplateDefinition } from './definition.ts';

/**
 * A definition whose tiers name their templates by identifier. One that means no template stays as it was sent, because
 * the template of a tier may have been deleted, or come later. One round trip when there is a name that `before`, the
 * definition that this one replaces, does not have.
 */
export async function withTierIds(
  ctx: AccountContext,
  input: TemplateDefinition,
  before?: Pick<TemplateDefinition, 'passFunctionality'>,
): Promise<TemplateDefinition> {
  const { passFunctionality } = input;
  const known = new Set(before?.passFunctionality?.tiers.map(({ templateId }) => templateId));
  const names = passFunctionality?.tiers.map(({ templateId }) => templateId).filter((name) => !known.has(name)) ?? [];
  if (!passFunctionality || names.length === 0) return input;
  const rows = await rawStatement<{ name: string; id: string | null }>(
    ctx.db,
    sql`select named.value as name, ${templateIdNamed(ctx, sql`named.value`)} as id from json_each(${JSON.stringify(names)}) as named`,
  );
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  const tiers = passFunctionality.tiers.map((tier) => ({
    ...tier,
    templateId: ids.get(tier.templateId) ?? lowerUuid(tier.templateId),
  }));
  return { ...input, passFunctionality: { ...passFunctionality, tiers } };
}
