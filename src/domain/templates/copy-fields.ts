import { z } from 'zod';
import type { AccountContext } from '../context.ts';
import { Location, PassText, TemplateColor } from '../fields.ts';
import { NAME_CHARS_MAX } from '../limits.ts';
import type { Origin } from './stored-definition.ts';
import type { TemplatePatch } from './template-patch.ts';

const Name = PassText.pipe(z.string().trim().min(1, 'must not be empty').max(NAME_CHARS_MAX));
const Image = z.string().max(8_000_000).nullish();

/** What the copy of a template can change (specification, "Template"); what is absent or null stays as in the original. */
export const CopyFields = z.object({
  name: Name,
  description: Name.nullish(),
  organizationName: Name.nullish(),
  foregroundColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  backgroundColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  labelColor: TemplateColor.nullish().describe('Hexadecimal with #'),
  barcodeValue: PassText.nullish().describe(
    'Barcode text, with placeholders, of each pass that brings none of its own',
  ),
  barcodeAlternativeText: PassText.nullish(),
  urlToLogo: Image.describe('URL or base64'),
  urlToBackground: Image.describe('URL or base64'),
  urlToIcon: Image.describe('URL or base64'),
  locations: z.array(Location).max(100).nullish(),
  useDefaultImages: z.boolean().nullish().describe('Take logo and icon of the account, where it has them'),
  userProvidedId: PassText.pipe(z.string().max(NAME_CHARS_MAX)).nullish().describe('External template ID'),
});
export type CopyFields = z.infer<typeof CopyFields>;

/** The same as a change of a definition. Default images are those of `ctx`'s account; they go before images that are sent. */
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
      // Otherwise the template would keep the text and no pass would get it.
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

/** What errors call the images of these fields. */
export function imageFieldsOf({ useDefaultImages }: CopyFields): Origin['imageFields'] {
  const [logo, icon] = useDefaultImages ? ['useDefaultImages', 'useDefaultImages'] : ['urlToLogo', 'urlToIcon'];
  return { logo, icon, background: 'urlToBackground' };
}

/** Leaves out null, which clears in a change and here means the original's value. */
function sent<T extends Record<string, unknown>>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as T;
}
