import * as z from 'zod';
import { BARCODE_FORMATS } from '../../platform/barcode-formats.ts';
import { parseDateTime } from '../../platform/dates.ts';
import {
  AnyText,
  byLanguage,
  DateTimeText,
  Location,
  NO_SUCH_DATE,
  Numeric,
  OwnId,
  PassName,
  PassText,
  TemplateColor,
  TimeZone,
  Title,
  textUpTo,
  URL_HINT,
} from '../fields.ts';
import type { StoredImages } from '../images/stored-image.ts';
import { CARD_TEXT_CHARS_MAX, IMAGE_SOURCE_CHARS_MAX, TEXT_CHARS_MAX, TRANSLATED_CHARS_MAX } from '../limits.ts';
import { AdditionalProperty } from './additional-properties.ts';
import { AppleFeatures } from './apple/features.ts';
import { SCHEME_TYPES, schemesAsked } from './apple/schemes.ts';
import { FieldLists } from './field-lists.ts';
import { GoogleInput } from './google/input.ts';
import { mapImages, refusePersonalClassTexts, type StoredGoogle } from './google/members.ts';
import { refuseIn, refuseRepeats } from './refuse.ts';
import { translatedCharsOf } from './translated-chars.ts';

/*
 * Definition of a template: everything that callers can set, under its wire names. It is independent of storage: images
 * are still as the caller sent them. `StoredDefinition` below has stored images.
 */

export const PASS_TYPES = [
  'coupon',
  'storeCard',
  'eventTicket',
  'eventTicketBackground',
  'generic',
  'boardingPass',
] as const;
export type PassType = (typeof PASS_TYPES)[number];

export const TRANSIT_TYPES = [
  'PKTransitTypeAir',
  'PKTransitTypeBoat',
  'PKTransitTypeBus',
  'PKTransitTypeGeneric',
  'PKTransitTypeTrain',
] as const;
export type TransitType = (typeof TRANSIT_TYPES)[number];

const flag = () => z.boolean().default(false);

/** Existing date and time in the template's zone (`timeZoneOf`); stored as sent. */
const DateTime = DateTimeText.refine((text) => parseDateTime(text, 'UTC') !== undefined, NO_SUCH_DATE);

/** Time-based codes (RFC 6238), so that a copy soon becomes worthless. */
const Rotating = z.object({
  periodSeconds: z.number().int().min(15).max(120),
  digits: z.number().int().min(6).max(8),
  apple: z.enum(['none', 'static']).default('none'),
});

/** Formats that Google Wallet can rotate (RotatingBarcode.type). */
const ROTATING_FORMATS: readonly string[] = ['qr', 'pdf417'];

const Barcode = z.object({
  format: z.enum([...BARCODE_FORMATS, 'none']).default('qr'),
  value: PassText.default(''),
  valueDifferentForEachPass: flag(),
  useAutoIdForValue: flag(),
  rotating: Rotating.nullish(),
  alternativeText: PassText.default(''),
});

/** Compressed P-256 key, SubjectPublicKeyInfo in base64 (Apple, Wallet Passes): 59 bytes with a fixed head. */
const NFC_KEY_PATTERN = /^MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA[A-Za-z0-9+/]{44}=$/;

const Nfc = z
  .object({
    enabled: flag(),
    encryptionPublicKey: AnyText.default(''),
    requiresAuthentication: flag(),
  })
  .refine((nfc) => !nfc.enabled || NFC_KEY_PATTERN.test(nfc.encryptionPublicKey), {
    path: ['encryptionPublicKey'],
    message:
      'must be a compressed P-256 public key (SubjectPublicKeyInfo in base64) such as "MDkwEwYHKoZIzj0C…" when NFC is enabled',
  });

const ImageSource = textUpTo(IMAGE_SOURCE_CHARS_MAX).pipe(z.string().min(1)).nullish();
const Images = z.object({
  icon: ImageSource,
  logo: ImageSource,
  background: ImageSource,
  strip: ImageSource,
  thumbnail: ImageSource,
  footer: ImageSource,
  artwork: ImageSource,
  primaryLogo: ImageSource,
  secondaryLogo: ImageSource,
  venueMap: ImageSource,
  perPassImages: z.object({ thumbnail: flag(), background: flag(), logo: flag() }).prefault({}),
});

const Colors = z.object({
  backgroundColor: TemplateColor.nullish(),
  foregroundColor: TemplateColor.nullish(),
  labelColor: TemplateColor.nullish(),
  footerBackgroundColor: TemplateColor.nullish(),
  voidedBackgroundColor: TemplateColor.nullish(),
});

const Expiration = z.object({
  expirationDate: DateTime.nullish(),
  expirationDateDifferentForEachPass: flag(),
  limitExpirationDateOfPassWithTemplate: flag(),
  fallbackToTemplateExpirationDateIfEmpty: flag(),
  validityInDays: z.number().int().min(1).max(36_500).nullish(),
});

const CustomNumberRange = z
  .object({
    from: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    to: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
    prefix: textUpTo(100).default(''),
    padding: z.number().int().min(0).max(32).default(0),
  })
  .refine((range) => range.from <= range.to, {
    path: ['to'],
    message: 'must not be less than from',
  });

const PassFunctionality = z.object({
  type: z.enum(['loyalty', 'stampCollect', 'stampSpend', 'oncePerDay', 'prepaid']),
  tiers: z
    .array(
      z.object({
        minimumValue: Numeric,
        templateId: PassName.describe('Identifier of a template, or its userProvidedId'),
      }),
    )
    .max(50)
    .default([]),
});

const Mail = z.object({
  subject: PassText,
  emailTemplate: textUpTo(500_000),
});
const SendoutOptions = z.object({
  passCreationNotification: Mail.nullish(),
  adHoc: Mail.nullish(),
  sms: z.object({ text: PassText }).nullish(),
});

const Link = z.object({
  label: PassText.default(''),
  url: AnyText.pipe(z.url({ protocol: /^(https?|tel|mailto)$/, error: URL_HINT }).max(2_048)),
});

const WalletApps = z.object({
  apple: z.boolean().default(true),
  google: z.boolean().default(true),
});

/** Texts by language, such as `pt-BR`. Keys are texts exactly as in the definition. */
const Translations = byLanguage(z.record(z.string().max(TEXT_CHARS_MAX), PassText));

/** Fields of a definition, without the rules that span several fields. */
export const DefinitionShape = z.object({
  name: Title,
  description: Title,
  organizationName: Title,
  type: z.enum(PASS_TYPES),
  transitType: z.enum(TRANSIT_TYPES).nullish(),
  preferredStyleScheme: z.enum(['posterEventTicket', 'semanticBoardingPass']).nullish(),
  passTypeId: PassName.nullish(),
  projectId: OwnId.nullish(),
  userProvidedId: PassName.nullish(),
  fields: FieldLists.prefault({}),
  additionalProperties: z.array(AdditionalProperty).max(200).default([]),
  barcode: Barcode.prefault({}),
  nfc: Nfc.prefault({}),
  images: Images.prefault({}),
  colors: Colors.prefault({}),
  translations: Translations.default({}),
  translationsEnabled: flag(),
  locations: z.array(Location).max(100).default([]),
  timezone: TimeZone.nullish().describe(
    'IANA time zone of the dates on its passes; default: the time zone of the account',
  ),
  stopLocationsAfterUse: z
    .boolean()
    .nullish()
    .describe('Removes the locations of a pass after its first accepted scan'),
  relevantDate: DateTime.nullish(),
  relevantDateDifferentForEachPass: flag(),
  logoText: PassText.nullish(),
  links: z.array(Link).max(50).default([]),
  expiration: Expiration.prefault({}),
  enforceUniqueUserProvidedId: flag(),
  maxPasses: z.number().int().min(0).nullish(),
  customNumberRange: CustomNumberRange.nullish(),
  validValidationPlaces: z
    .array(PassName.pipe(z.string().min(1)))
    .max(1_000)
    .default([]),
  groupingIdentifierEnabled: flag(),
  downloadPinEnabled: flag().describe('Whether passes can have a `downloadPin`. Without it, none is stored'),
  preventDownloadWhenActive: flag(),
  sharingProhibited: flag(),
  hidePrintVersion: flag(),
  passFunctionality: PassFunctionality.nullish(),
  sendoutOptions: SendoutOptions.prefault({}),
  walletApps: WalletApps.prefault({}),
  google: GoogleInput.nullish().describe('Features of Google Wallet, with Google’s own field names'),
  apple: AppleFeatures.nullish(),
});

/** Whole definition as callers send it. */
export const TemplateDefinition = DefinitionShape.superRefine((definition, check) => {
  const refuse = refuseIn(check);
  if (definition.type === 'boardingPass' && !definition.transitType) {
    refuse(['transitType'], 'is required for type boardingPass');
  }
  if (definition.type !== 'boardingPass' && definition.transitType) {
    refuse(['transitType'], 'is only allowed for type boardingPass');
  }
  for (const [path, scheme] of schemesAsked(definition)) {
    const needed = SCHEME_TYPES[scheme];
    if (!needed.isFor(definition)) refuse(path, `${scheme} is only allowed for ${needed.words}`);
  }
  if (definition.barcode.rotating && !ROTATING_FORMATS.includes(definition.barcode.format)) {
    refuse(['barcode', 'rotating'], `needs one of these formats: ${ROTATING_FORMATS.join(', ')}`);
  }
  if (textCharsOf(definition) > CARD_TEXT_CHARS_MAX) {
    const limit = `must have at most ${CARD_TEXT_CHARS_MAX} characters`;
    refuse(['fields'], `all texts together, including translations, ${limit}`);
  }
  if (translatedCharsOf(definition.translations) > TRANSLATED_CHARS_MAX) {
    const limit = `must have at most ${TRANSLATED_CHARS_MAX} characters`;
    refuse(['translations'], `the translated texts ${limit}, counted in each language`);
  }
  for (const key of ['name', 'id'] as const)
    refuseRepeats(definition.additionalProperties, ['additionalProperties'], key, refuse);
  refusePersonalClassTexts(definition, refuse);
});
export type TemplateDefinition = z.infer<typeof TemplateDefinition>;

/** Returns the characters in all texts that a card of this definition shows, before placeholders are filled. */
function textCharsOf(definition: z.infer<typeof DefinitionShape>): number {
  const { description, organizationName, logoText, fields, links, locations, translations, barcode, apple, google } =
    definition;
  const texts: unknown[] = [description, organizationName, logoText, barcode.alternativeText, links, locations, apple];
  if (google) texts.push(mapImages(google, () => ''));
  for (const item of Object.values(fields).flat()) {
    texts.push(item.label, item.value, item.changeMessage, item.semantics);
  }
  return charsOf([...texts, ...Object.values(translations).flatMap((one) => Object.entries(one).flat())]);
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + charsOf(part), 0);
}

/** Stored definition: images are imported, every additional property has its ID, every field its key. */
export type StoredDefinition = Omit<TemplateDefinition, 'images' | 'additionalProperties' | 'google'> & {
  images: StoredImages & {
    perPassImages: TemplateDefinition['images']['perPassImages'];
  };
  additionalProperties: (AdditionalProperty & { id: string })[];
  google?: StoredGoogle;
};
