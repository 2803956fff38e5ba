import * as z from 'zod';
import type { AccountContext } from '../context.ts';
import { Location, PassName, PassText, TemplateColor, Title, textUpTo } from '../fields.ts';
import { IMAGE_SOURCE_CHARS_MAX } from '../limits.ts';
import type { Origin } from './stored-definition.ts';
import { defaultImagesOf } from './stored-definition.ts';
import type { TemplatePatch } from './template-patch.ts';

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
export function selectDefaultImages({ account }: AccountContext, { useDefaultImages }: CopyFields) {
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
