import { and, eq, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { AccountContext, Owner } from '../context.ts';
import { invalidField } from '../errors.ts';
import { whereRestricted } from '../template-restriction.ts';
import type { ConfigurationFields } from './configuration-fields.ts';
import { appConfigurationLinks, appConfigurations } from './table.ts';

/** JSON list of a configuration's templates; empty: all. */
export const NAMED_TEMPLATES = sql`coalesce(${appConfigurations.passTemplateIds},
  iif(${appConfigurations.passTemplateId} is null, '[]', json_array(${appConfigurations.passTemplateId})))`;

/** Builds the condition for configurations that scan passes of one of the templates in a JSON list. */
export function canScanOneOf(templateIds: string | Placeholder | SQLWrapper): SQL {
  return sql`(json_array_length(${NAMED_TEMPLATES}) = 0 or exists (select 1 from json_each(${NAMED_TEMPLATES}) as named
    where named.value in (select value from json_each(${templateIds}))))`;
}

/**
 * Builds the condition for configurations that a restricted key may see and change: those with only its templates,
 * because links to others scan more. Undefined for an unrestricted key.
 */
export function isManageable(ctx: Pick<Owner, 'account'>): SQL | undefined {
  return whereRestricted(
    ctx,
    (templateIds) =>
      sql`(json_array_length(${NAMED_TEMPLATES}) > 0 and not exists (select 1 from json_each(${NAMED_TEMPLATES}) as named
    where named.value not in (select value from json_each(${templateIds}))))`,
  );
}

/** Builds the condition for the links of such a configuration; undefined for an unrestricted key. */
export function isOfManageable(ctx: AccountContext, configurationId: string): SQL | undefined {
  const manageable = isManageable(ctx);
  if (!manageable) return undefined;
  const isTarget = and(
    eq(appConfigurations.id, configurationId),
    eq(appConfigurations.accountId, ctx.account.id),
    manageable,
  );
  return sql`exists (select 1 from ${appConfigurations} where ${isTarget})`;
}

/** Builds the condition for links without access to other configurations. Undefined for an unrestricted key. */
export function isManageableLink(ctx: Pick<Owner, 'account'>): SQL | undefined {
  return whereRestricted(ctx, () => eq(appConfigurationLinks.canChangeConfig, false));
}

/** Throws `invalid` for a configuration for all templates if the key is restricted to some. */
export function refuseAllTemplates(
  ctx: AccountContext,
  { passTemplateId, passTemplateIds }: ConfigurationFields,
): void {
  const namesOne = passTemplateIds ? passTemplateIds.length > 0 : Boolean(passTemplateId);
  if (ctx.account.templateIds && !namesOne)
    throw invalidField('passTemplateIds', 'is required, because your key is restricted to templates');
}
