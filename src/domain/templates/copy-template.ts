import { and, eq } from 'drizzle-orm';
import * as z from 'zod';
import { lowerUuid } from '../../platform/ids.ts';
import { accounts } from '../accounts/table.ts';
import { checked } from '../check.ts';
import { type AccountContext, inAccount } from '../context.ts';
import { notFound } from '../errors.ts';
import { Location, PassName, PassText, TemplateColor, Title, textUpTo } from '../fields.ts';
import { IMAGE_SOURCE_CHARS_MAX } from '../limits.ts';
import { insertTemplate } from './create-template.ts';
import { type StoredDefinition, TemplateDefinition } from './definition.ts';
import { newestDefinitionQuery, toDefinedTemplate } from './get-template.ts';
import {
  type CreatedTemplate,
  defaultImagesOf,
  type OmittedImage,
  type Origin,
  originOfDefaults,
  toStored,
  wireDefinition,
} from './stored-definition.ts';
import { patchDefinition, type TemplatePatch } from './template-patch.ts';

const Image = textUpTo(IMAGE_SOURCE_CHARS_MAX).nullish();

/** Fields that a copy of a template can change. Fields that are absent or null stay as in the original. */
export const CopyFields = z.object({
  name: Title,
  description: Title.nullish(),
  organizationName: Title.nullish(),
  foregroundColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  backgroundColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  labelColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  barcodeValue: PassText.nullish().describe(
    'Text below the barcode of passes without their own; can contain placeholders',
  ),
  barcodeAlternativeText: PassText.nullish(),
  urlToLogo: Image.describe('URL or base64'),
  urlToBackground: Image.describe('URL or base64'),
  urlToIcon: Image.describe('URL or base64'),
  locations: z.array(Location).max(100).nullish(),
  useDefaultImages: z.boolean().nullish().describe('Use the account’s logo and icon if they exist'),
  userProvidedId: PassName.nullish().describe('External template ID; you can use it instead of the identifier'),
});
export type CopyFields = z.infer<typeof CopyFields>;

/** Returns the patch of these fields. Default images are those of `ctx`'s account and win over sent ones. */
export function fieldsPatch({ account }: AccountContext, fields: CopyFields): TemplatePatch {
  const defaults = fields.useDefaultImages ? account : undefined;
  const { foregroundColor, backgroundColor, labelColor, barcodeValue, barcodeAlternativeText } = fields;
  return sent({
    name: fields.name,
    description: fields.description,
    organizationName: fields.organizationName,
    colors: sent({ foregroundColor, backgroundColor, labelColor }),
    barcode: sent({
      value: barcodeValue,
      alternativeText: barcodeAlternativeText,
      // Without these, the template would store the text but no pass would get it.
      ...(barcodeValue ? { valueDifferentForEachPass: false, useAutoIdForValue: false } : {}),
    }),
    images: sent({
      logo: defaults?.logoUrl || fields.urlToLogo || undefined,
      background: fields.urlToBackground || undefined,
      icon: defaults?.iconUrl || fields.urlToIcon || undefined,
    }),
    locations: fields.locations,
    userProvidedId: fields.userProvidedId,
  });
}

/** Returns the account's images that these fields request. */
function selectDefaultImages({ account }: AccountContext, { useDefaultImages }: CopyFields) {
  return useDefaultImages ? defaultImagesOf(account) : [];
}

/** Returns the names of these fields' images, for errors. */
export function imageFieldsOf(ctx: AccountContext, fields: CopyFields): Origin['imageFields'] {
  const taken = selectDefaultImages(ctx, fields).map(({ role }) => [role, 'useDefaultImages']);
  return { logo: 'urlToLogo', icon: 'urlToIcon', background: 'urlToBackground', ...Object.fromEntries(taken) };
}

/** Removes null members: null clears in a patch, but means the original's value here. */
function sent<T extends Record<string, unknown>>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as T;
}

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
