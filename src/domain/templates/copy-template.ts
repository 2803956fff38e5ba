import { and, eq } from 'drizzle-orm';
import { lowerUuid } from '../../platform/ids.ts';
import { accounts } from '../accounts/table.ts';
import { checked } from '../check.ts';
import { type AccountContext, inAccount } from '../context.ts';
import { notFound } from '../errors.ts';
import { type CopyFields, fieldsPatch, imageFieldsOf, selectDefaultImages } from './copy-fields.ts';
import { type StoredDefinition, TemplateDefinition } from './definition.ts';
import { wireDefinition } from './describe-template.ts';
import { newestDefinitionQuery, toDefinedTemplate } from './get-template.ts';
import { insertTemplate } from './insert-template.ts';
import { type CreatedTemplate, type OmittedImage, originOfDefaults, toStored } from './stored-definition.ts';
import { patchDefinition } from './template-patch.ts';

/**
 * Copies a template's newest definition. IDs and keys stay, so integrations work with the copy; the unique
 * userProvidedId doesn't. A copy to the sub-customer `targetAccountId` loses project, certificate and tiers. Two round
 * trips, plus new images. Throws not found (template, target) and `invalid`.
 */
export async function copyTemplate(
  ctx: AccountContext,
  id: string,
  fields: CopyFields,
  targetAccountId?: string,
): Promise<CreatedTemplate> {
  const [rows, [target]] = await readSourceAndTarget(ctx, id, targetAccountId ?? '');
  const { definition } = toDefinedTemplate(rows[0]);
  if (targetAccountId !== undefined && !target) throw notFound();
  const owner = target ? { ...inAccount(ctx, target.id), account: target } : ctx;
  const copied = {
    ...wireDefinition(ctx, definition),
    userProvidedId: null,
    ...(target ? foreignParts(definition) : {}),
  };
  const input = checked(TemplateDefinition, patchDefinition(copied, fieldsPatch(owner, fields)));
  const omitted: OmittedImage[] = [];
  const { defaults } = originOfDefaults(selectDefaultImages(owner, fields), omitted);
  const origin = { before: definition, imageFields: imageFieldsOf(owner, fields), defaults };
  const noted = { action: 'template.copy', otherAccounts: target ? [ctx.account] : [] } as const;
  return { identifier: await insertTemplate(owner, await toStored(owner, input, origin), { ...noted }), omitted };
}

/** Queries both databases at the same time if the sub-customer lives in another one. */
function readSourceAndTarget(ctx: AccountContext, id: string, targetId: string) {
  const there = inAccount(ctx, lowerUuid(targetId));
  const target = subCustomerQuery(there, targetId);
  if (there.db === ctx.db) return ctx.db.batch([newestDefinitionQuery(ctx, id), target]);
  return Promise.all([newestDefinitionQuery(ctx, id), target]);
}

function subCustomerQuery(ctx: AccountContext, accountId: string) {
  return ctx.db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, lowerUuid(accountId)), eq(accounts.parentAccountId, ctx.account.id)));
}

/** Returns the parts of a definition that are meaningless in another account, cleared. */
function foreignParts({ passFunctionality }: StoredDefinition) {
  return {
    projectId: null,
    passTypeId: null,
    passFunctionality: passFunctionality && { ...passFunctionality, tiers: [] },
  };
}
