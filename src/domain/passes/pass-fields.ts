import { z } from 'zod';
import { DateTimeText, LanguageCode, Location, Numeric, normalizeColor, PassName, PassText } from '../fields.ts';
import type { StoredImage } from '../images/stored-image.ts';
import { LOCALIZED_IMAGES_MAX } from '../limits.ts';

/** A colour of a pass: an invalid value is dropped and the template's colour shows (specification). */
const PassColor = z.unknown().transform(normalizeColor).optional();
const ImageUrl = z.string().max(2_048);

/** Language to address; languages without one are none. */
const LocalizedImages = z
  .record(LanguageCode, ImageUrl)
  .refine(
    (urls) => Object.keys(urls).length <= LOCALIZED_IMAGES_MAX,
    `must have at most ${LOCALIZED_IMAGES_MAX} languages`,
  )
  .transform((urls) => {
    const filled = Object.entries(urls).filter(([, url]) => url !== '');
    return filled.length > 0 ? Object.fromEntries(filled) : null;
  });

/** An empty address clears an image, as an empty text clears a text. */
const ClearableUrl = ImageUrl.transform((url) => url || null).nullish();

/** `Y-m-d H:i`, or also `Y-m-d` where a day is enough. */
const DateOrDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?$/, 'must be a date in the format Y-m-d H:i or Y-m-d');

/**
 * The writable fields of a pass that every template knows (specification, "Pass: writable fields"). Additional properties and
 * flight fields stand beside them under keys that only the template knows; unknown keys pass through for them.
 */
export const PassFields = z.looseObject({
  userProvidedId: PassName.nullish(),
  enforceUniqueUserProvidedId: z.boolean().nullish(),
  barcodeValue: PassText.nullish(),
  barcodeAlternativeText: PassText.nullish(),
  groupingIdentifier: PassName.nullish(),
  urlToThumbnail: ClearableUrl,
  urlToBackground: ClearableUrl,
  urlToLogo: ClearableUrl,
  localizedBackgroundImages: LocalizedImages.nullish(),
  validAsOfDate: DateOrDateTime.nullish(),
  expirationDate: DateTimeText.nullish(),
  relevantDate: DateTimeText.nullish(),
  labelColor: PassColor,
  foregroundColor: PassColor,
  backgroundColor: PassColor,
  footerBackgroundColor: PassColor,
  emailRecipient: PassText.nullish(),
  phoneRecipient: PassText.nullish(),
  locations: z.array(Location).max(100).nullish(),
  storedValue: Numeric.nullish(),
  eligibleValidationPlaces: z.array(z.string()).max(1_000).nullish(),
  downloadPin: PassName.nullish(),
  bundleId: PassName.nullish(),
});
export type PassFields = z.infer<typeof PassFields>;

/** Addresses of images that are still to be imported. */
export interface PendingImages {
  images?: { thumbnail?: string; background?: string; logo?: string };
  localizedBackgrounds?: Record<string, string>;
  /** When the cron takes the job that imports them for lost, UTC milliseconds. */
  dueAt?: number;
  /** How often the cron has asked anew. */
  resumed?: number;
}

/** What a pass changes of its template's looks, and where it is valid; stored as one JSON column. */
export interface PassAppearance {
  /** `#rrggbb`. */
  colors?: {
    labelColor?: string;
    foregroundColor?: string;
    backgroundColor?: string;
    footerBackgroundColor?: string;
  };
  locations?: Location[];
  images?: {
    thumbnail?: StoredImage;
    background?: StoredImage;
    logo?: StoredImage;
  };
  /** Addresses of images that the background still has to import. */
  pendingImages?: PendingImages;
  /** Language to background image. */
  localizedBackgrounds?: Record<string, StoredImage>;
  eligibleValidationPlaces?: string[];
}

/** Leaves out what is undefined or empty, so that equal looks are equal JSON. */
export function compact(appearance: PassAppearance): PassAppearance {
  const members = Object.entries(appearance).map(([name, value]) => [name, isRecord(value) ? compact(value) : value]);
  return Object.fromEntries(
    members.filter(([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0)),
  );
}

function isRecord(value: unknown): value is Record<string, never> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Place to UTC milliseconds of its last recorded usage. */
export type PlacesUsedAt = Record<string, number>;
