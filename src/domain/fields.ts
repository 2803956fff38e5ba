import * as z from 'zod';
import { isTimeZone } from '../platform/dates.ts';
import { lowerUuid } from '../platform/ids.ts';
import { LANGUAGES_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX } from './limits.ts';

/*
 * Hints for a wrong format: each shows a valid example.
 */
export const DATE_HINT = 'must look like 2026-12-24';
export const DATE_TIME_HINT = 'must look like 2026-12-24 09:10';
export const FLIGHT_TIME_HINT = 'must look like 2026-12-24T09:10';
export const NO_SUCH_DATE = 'is a date that does not exist; use one such as 2026-12-24 09:10';
export const ISO_HINT = 'must be a date and time in ISO 8601, such as 2027-01-31T09:30:00Z';
export const NUMBER_HINT = 'must be a number such as 12.5';
export const UUID_HINT = 'must be a UUID such as 01980b5e-4a30-7a52-9c11-0242ac120000';
export const COLOR_HINT = 'must be a hexadecimal color such as #1a2b3c';
export const LANGUAGE_HINT = 'must be a language code such as "en"';
export const EMAIL_HINT = 'must be an e-mail address such as ada@example.com';
export const PHONE_HINT = 'must be a phone number with its country code, such as +43 664 1234567';
export const URL_HINT = 'must be a URL such as https://example.com/logo.png';
export const TIME_ZONE_HINT = 'must be an IANA time zone such as Europe/Berlin';

/**
 * A text of any length. Numbers and booleans are converted to strings in every endpoint; null, arrays and objects are
 * rejected.
 */
export const AnyText = z
  .union([z.string(), z.number(), z.boolean()], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
  })
  .transform(String);

/** Returns the schema of a text of at most `charsMax` characters. */
export const textUpTo = (charsMax: number) => AnyText.pipe(z.string().max(charsMax));

/** A text of a pass or template. */
export const PassText = textUpTo(TEXT_CHARS_MAX);

/** An identifier that a caller chooses for a pass, a bundle or a group. */
export const PassName = textUpTo(NAME_CHARS_MAX);

/** The name of a template, a project or another listed resource; not empty. */
export const Title = AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(NAME_CHARS_MAX));

/**
 * A text for pass holders, which may contain placeholders. Devices show at least one line of 85 characters and may
 * truncate the rest.
 */
export const PushText = AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(TEXT_CHARS_MAX));

/** An identifier issued by this service. Case-insensitive on input, lowercase afterward. */
export const OwnId = AnyText.transform(lowerUuid);

/** An IANA time zone. */
export const TimeZone = AnyText.pipe(z.string().refine(isTimeZone, TIME_ZONE_HINT));

const COLOR_PATTERN = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/**
 * Returns `#rrggbb` in lowercase for a hexadecimal color in long or short form, with or without `#`; undefined for any
 * other value.
 */
export function normalizeColor(value: unknown): string | undefined {
  if (typeof value !== 'string' || !COLOR_PATTERN.test(value)) return undefined;
  const digits = value.replace('#', '').toLowerCase();
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`;
}

/** A hexadecimal color as sent. Other values are rejected. */
export const ColorText = AnyText.pipe(z.string().refine((value) => normalizeColor(value) !== undefined, COLOR_HINT));

/** A template's color: `#rrggbb`. */
export const TemplateColor = ColorText.transform((value) => normalizeColor(value)!);

/** A number or a numeric string. Rejects NaN, infinities and empty strings. */
export const Numeric = z
  .union([z.number(), z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/, NUMBER_HINT)], { error: NUMBER_HINT })
  .transform(Number)
  .pipe(z.number(NUMBER_HINT));

const LANGUAGE_PATTERN = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Returns whether a text is a BCP 47 language code that this runtime accepts, such as `en` or `pt-BR`. */
export function isLanguageCode(text: string): boolean {
  if (!LANGUAGE_PATTERN.test(text)) return false;
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** A language code as wallets and pages use it. The pattern is here for the contract document. */
export const LanguageCode = z
  .string()
  .regex(LANGUAGE_PATTERN, { error: LANGUAGE_HINT, abort: true })
  .refine(isLanguageCode, LANGUAGE_HINT);

/** Returns the schema of an object with a member for each language. */
export const byLanguage = <T extends z.ZodType>(value: T) =>
  z
    .record(LanguageCode, value)
    .refine((one) => Object.keys(one).length <= LANGUAGES_MAX, `must have at most ${LANGUAGES_MAX} languages`)
    .meta({ maxProperties: LANGUAGES_MAX });

/** A place near which the lock screen shows the pass. */
export const Location = z.object({
  latitude: Numeric.pipe(z.number().min(-90).max(90)),
  longitude: Numeric.pipe(z.number().min(-180).max(180)),
  altitude: Numeric.nullish(),
  maxDistance: Numeric.pipe(z.number().min(0)).nullish(),
  relevantText: PassText.nullish(),
  localizedRelevantText: byLanguage(PassText).nullish(),
});
export type Location = z.infer<typeof Location>;

const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/;

/** Checks the form `Y-m-d H:i`. Whether the date exists is checked later, with the account's time zone. */
export const DateTimeText = AnyText.pipe(z.string().regex(DATE_TIME_PATTERN, { error: DATE_TIME_HINT, abort: true }));
