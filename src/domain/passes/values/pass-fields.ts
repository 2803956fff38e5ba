import * as z from 'zod';
import { isRecord } from '../../../platform/json.ts';
import {
  AnyText,
  DATE_HINT,
  DATE_TIME_HINT,
  EMAIL_HINT,
  LanguageCode,
  Location,
  Numeric,
  normalizeColor,
  PassName,
  PassText,
  PHONE_HINT,
  textUpTo,
} from '../../fields.ts';
import type { StoredImage } from '../../images/stored-image.ts';
import { LOCALIZED_IMAGES_MAX } from '../../limits.ts';
import { readEmailAddress, readPhoneNumber } from '../../messages/recipients.ts';

const PIN_CHARS_MIN = 4;
const PIN_CHARS_MAX = 64;
const PIN_HINT = `must have ${PIN_CHARS_MIN} to ${PIN_CHARS_MAX} characters, for example 4711`;

/** A colour of a pass: an invalid value is dropped and the template's colour shows. */
const PassColor = z.unknown().transform(normalizeColor).optional();
const ImageUrl = textUpTo(2_048);

/** Language to address. Null or an empty address removes the background of a language, an empty object all of them. */
const LocalizedImages = z
  .record(
    LanguageCode,
    ImageUrl.nullable().transform((url) => url || null),
  )
  .refine(
    (urls) => Object.keys(urls).length <= LOCALIZED_IMAGES_MAX,
    `must have at most ${LOCALIZED_IMAGES_MAX} languages`,
  )
  .transform((urls) => (Object.keys(urls).length > 0 ? urls : null));

/** An empty address clears an image, as an empty text clears a text. */
const ClearableUrl = ImageUrl.transform((url) => url || null).nullish();

/** A date in each form that reads give and callers write; an empty text is none. */
const dateText = (pattern: RegExp, message: string) =>
  AnyText.pipe(z.string().regex(pattern, message))
    .transform((text) => text || null)
    .nullish();

const DateTime = dateText(/^$|^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?$/, DATE_TIME_HINT);
const DateOrDateTime = dateText(
  /^$|^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/,
  `${DATE_TIME_HINT} or ${DATE_HINT.slice(-10)}`,
);

/** Kept as it was written; only its form is checked, so that a message that cannot be sent is refused at once. */
const EmailRecipient = PassText.refine(
  (text) => text.trim() === '' || readEmailAddress(text) !== undefined,
  EMAIL_HINT,
);
const PhoneRecipient = PassText.refine((text) => text.trim() === '' || readPhoneNumber(text) !== undefined, PHONE_HINT);

/** Spaces around it count for nothing. Shorter ones from before stay until they change (`changedFields`). */
const DownloadPin = AnyText.pipe(
  z
    .string()
    .max(PIN_CHARS_MAX, PIN_HINT)
    .refine((text) => text === '' || Array.from(text.trim()).length >= PIN_CHARS_MIN, PIN_HINT),
);

/**
 * The writable fields of a pass that every template knows. Additional properties and flight fields stand beside them
 * under keys that only the template knows; unknown keys pass through for them.
 */
export const PassFields = z.looseObject({
  userProvidedId: PassName.nullish().describe(
    'Your ID of the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who guesses it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in the settings of the account.',
  ),
  enforceUniqueUserProvidedId: z.boolean().nullish(),
  barcodeValue: PassText.nullish(),
  barcodeAlternativeText: PassText.nullish(),
  groupingIdentifier: PassName.nullish(),
  urlToThumbnail: ClearableUrl,
  urlToBackground: ClearableUrl,
  urlToLogo: ClearableUrl,
  localizedBackgroundImages: LocalizedImages.nullish(),
  validAsOfDate: DateOrDateTime,
  expirationDate: DateTime,
  relevantDate: DateTime,
  labelColor: PassColor,
  foregroundColor: PassColor,
  backgroundColor: PassColor,
  footerBackgroundColor: PassColor,
  emailRecipient: EmailRecipient.nullish(),
  phoneRecipient: PhoneRecipient.nullish(),
  locations: z.array(Location).max(100).nullish(),
  storedValue: Numeric.nullish(),
  eligibleValidationPlaces: z.array(PassText).max(1_000).nullish(),
  downloadPin: DownloadPin.nullish().describe(
    'PIN that the download requires, with 4 to 64 characters. An empty text clears it',
  ),
  bundleId: PassName.nullish(),
});
export type PassFields = z.infer<typeof PassFields>;

/** The writable fields of a pass that exists. */
export const UpdateFields = PassFields.extend({
  voided: z.boolean({ error: 'must be true or false' }).optional(),
});
export type UpdateFields = z.infer<typeof UpdateFields>;

/** Addresses of images that are still to be imported. */
export interface PendingImages {
  images?: { thumbnail?: string; background?: string; logo?: string };
  localizedBackgrounds?: Record<string, string>;
  /** When the cron takes the job that imports them for lost, UTC milliseconds. */
  dueAt?: number;
  /** How often the cron has asked anew. */
  resumed?: number;
  /** Until then an image that fails for a time is tried again, UTC milliseconds. */
  triedUntil?: number;
}

/** An image that could not be imported. */
export interface ImportError {
  /** The field that asked for it; `localizedBackgroundImages.<language>` for one of these. */
  field: string;
  url: string;
  message: string;
  /** When it was given up, UTC milliseconds. */
  at: number;
}

export const PASS_COLORS = ['labelColor', 'foregroundColor', 'backgroundColor', 'footerBackgroundColor'] as const;

/** `#rrggbb` each. */
export type PassColors = Partial<Record<(typeof PASS_COLORS)[number], string>>;

/** Colors, images and locations of a pass itself, and where it is valid; stored as one JSON column. */
export interface PassAppearance {
  colors?: PassColors;
  locations?: Location[];
  images?: Partial<Record<'thumbnail' | 'background' | 'logo', StoredImage>>;
  /** Addresses of images that the background still has to import. */
  pendingImages?: PendingImages;
  /** Images that were given up, until they are replaced or cleared. */
  importErrors?: ImportError[];
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

/** Place to UTC milliseconds of its last recorded usage. */
export type PlacesUsedAt = Record<string, number>;
