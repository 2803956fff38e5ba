import * as z from 'zod';
import { parseDateTime } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import {
  AnyText,
  DATE_HINT,
  DATE_TIME_HINT,
  EMAIL_HINT,
  FLIGHT_TIME_HINT,
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

/** Color of a pass. An invalid value is dropped, so the template's color shows. */
const PassColor = z.unknown().transform(normalizeColor).optional();
const ImageUrl = textUpTo(2_048);

/** URLs by language. Null or an empty URL removes the background of a language, an empty object all of them. */
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

/** An empty URL clears an image, as an empty text clears a text. */
const ClearableUrl = ImageUrl.transform((url) => url || null).nullish();

/** Date in any form that reads return and callers write; an empty text means none. */
const dateText = (pattern: RegExp, message: string) =>
  AnyText.pipe(z.string().regex(pattern, message))
    .transform((text) => text || null)
    .nullish();

const DateTime = dateText(/^$|^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?$/, DATE_TIME_HINT);
const DateOrDateTime = dateText(
  /^$|^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/,
  `${DATE_TIME_HINT} or ${DATE_HINT.slice(-10)}`,
);

/** Stored as written. Only the form is checked, so that an unusable address is refused at once. */
const EmailRecipient = PassText.refine(
  (text) => text.trim() === '' || readEmailAddress(text) !== undefined,
  EMAIL_HINT,
);
const PhoneRecipient = PassText.refine((text) => text.trim() === '' || readPhoneNumber(text) !== undefined, PHONE_HINT);

/** Spaces around a PIN are ignored. Shorter PINs from earlier releases stay until they change (`changedFields`). */
const DownloadPin = AnyText.pipe(
  z
    .string()
    .max(PIN_CHARS_MAX, PIN_HINT)
    .refine((text) => text === '' || Array.from(text.trim()).length >= PIN_CHARS_MIN, PIN_HINT),
);

/**
 * Writable fields of a pass that exist in every template. Additional properties and flight fields have keys that only
 * the template knows, so unknown keys pass through.
 */
export const PassFields = z.looseObject({
  userProvidedId: PassName.nullish().describe(
    'Your ID for the pass. It also opens the download page at `/p/{accountId}/{userProvidedId}`: anyone who guesses it sees the pass. Use values that nobody can guess, set a `downloadPin`, or turn these pages off in the settings of the account.',
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
    'PIN that the download page asks for, with 4 to 64 characters. An empty text clears it. Stored only if the ' +
      'template allows PINs (`downloadPinEnabled`); otherwise, `description` of a v3 reply says so',
  ),
  bundleId: PassName.nullish(),
});
export type PassFields = z.infer<typeof PassFields>;

/** Writable fields of an existing pass. */
export const UpdateFields = PassFields.extend({
  voided: z.boolean({ error: 'must be true or false' }).optional(),
});
export type UpdateFields = z.infer<typeof UpdateFields>;

/** URLs of images that aren't imported yet. */
export interface PendingImages {
  images?: { thumbnail?: string; background?: string; logo?: string };
  localizedBackgrounds?: Record<string, string>;
  /** When the cron considers the import job lost, UTC milliseconds. */
  dueAt?: number;
  /** How many times the cron has sent another job. */
  resumed?: number;
  /** End of retries after temporary errors, UTC milliseconds. */
  triedUntil?: number;
}

/** Image that couldn't be imported. */
export interface ImportError {
  /** Field that requested it; `localizedBackgroundImages.<language>` for a background of a language. */
  field: string;
  url: string;
  message: string;
  /** When the import was given up, UTC milliseconds. */
  at: number;
}

export const PASS_COLORS = ['labelColor', 'foregroundColor', 'backgroundColor', 'footerBackgroundColor'] as const;

/** Each is `#rrggbb`. */
export type PassColors = Partial<Record<(typeof PASS_COLORS)[number], string>>;

/** A pass's own colors, images, locations and validation places; stored as one JSON column. */
export interface PassAppearance {
  colors?: PassColors;
  locations?: Location[];
  images?: Partial<Record<'thumbnail' | 'background' | 'logo', StoredImage>>;
  /** URLs of images that the background job hasn't imported yet. */
  pendingImages?: PendingImages;
  /** Failed images, until they are replaced or cleared. */
  importErrors?: ImportError[];
  localizedBackgrounds?: Record<string, StoredImage>;
  eligibleValidationPlaces?: string[];
}

/** Removes undefined and empty members, so that equal appearances are equal JSON. */
export function compact(appearance: PassAppearance): PassAppearance {
  const members = Object.entries(appearance).map(([name, value]) => [name, isRecord(value) ? compact(value) : value]);
  return Object.fromEntries(
    members.filter(([, value]) => value !== undefined && !(isRecord(value) && Object.keys(value).length === 0)),
  );
}

/** UTC milliseconds of the last recorded usage, by place. */
export type PlacesUsedAt = Record<string, number>;

const code = (pattern: RegExp, message: string) =>
  AnyText.pipe(z.string().trim().toUpperCase().regex(pattern, message));
const Airport = code(/^[A-Z]{3}$/, 'must be an IATA airport code of 3 letters, such as VIE');
const Carrier = code(/^[A-Z0-9]{2}$/, 'must be an IATA airline code of 2 letters or digits, such as OS');
const FlightNumber = z
  .union([z.number(), z.string().regex(/^\d{1,4}$/, 'must be an integer')], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be an integer'),
  })
  .transform(Number)
  .pipe(z.number().int().min(0).max(9_999));

const exists = (text: string) => text === '' || parseDateTime(text, 'UTC') !== undefined;
const localTime = (pattern: RegExp) =>
  AnyText.pipe(
    z
      .string()
      .regex(pattern, { error: FLIGHT_TIME_HINT, abort: true })
      .refine(exists, `is a date that does not exist; it ${FLIGHT_TIME_HINT}`),
  );

const toMinute = (text: string) => text.slice(0, 16).replace(' ', 'T');

/** Local time `Y-m-dTH:i`, because only the airport knows its zone. Seconds are dropped. */
const LocalTime = localTime(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/).transform(toMinute);
/** Time that a flight may lack; an empty text means none. */
const OptionalTime = localTime(/^$|^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/)
  .transform((text) => toMinute(text) || null)
  .nullish();
const Required = PassName.pipe(z.string().min(1, 'must not be empty'));

/** Fields of a flight. */
export const FlightFields = z.object({
  originAirportCode: Airport,
  destinationAirportCode: Airport,
  localScheduledDepartureTime: LocalTime,
  localBoardingDateTime: LocalTime,
  passengerName: Required,
  carrierCode: Carrier,
  confirmationCode: Required,
  flightNumber: FlightNumber,
  originAirportGate: PassName.nullish(),
  originAirportTerminal: PassName.nullish(),
  destinationAirportGate: PassName.nullish(),
  destinationAirportTerminal: PassName.nullish(),
  localEstimatedOrActualDepartureDateTime: OptionalTime,
  localScheduledArrivalDateTime: OptionalTime,
  localEstimatedOrActualArrivalDateTime: OptionalTime,
  seatClass: PassName.nullish(),
  seatNumber: PassName.nullish(),
  sequenceNumber: PassName.nullish(),
  boardingGroup: PassName.nullish(),
  boardingPosition: PassName.nullish(),
});
export type FlightFields = z.infer<typeof FlightFields>;

export const FLIGHT_FIELD_NAMES = Object.keys(FlightFields.shape) as (keyof FlightFields)[];
