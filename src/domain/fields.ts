import * as z from 'zod';
import { isTimeZone } from '../platform/dates.ts';
import { lowerUuid } from '../platform/ids.ts';
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from './limits.ts';

/*
 * What messages say of a wrong format: the form by a valid example.
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
 * A text of any length: numbers and booleans are turned into strings, in every endpoint; null, arrays and objects are
 * not.
 */
export const AnyText = z
  .union([z.string(), z.number(), z.boolean()], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
  })
  .transform(String);

/** A text of at most so many characters. */
export const textUpTo = (charsMax: number) => AnyText.pipe(z.string().max(charsMax));

/** A text of a pass or template. */
export const PassText = textUpTo(TEXT_CHARS_MAX);

/** A name that a caller chooses for a pass, a bundle or a group. */
export const PassName = textUpTo(NAME_CHARS_MAX);

/** The name of what people tell apart by it, such as a template or a project; not empty. */
export const Title = AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(NAME_CHARS_MAX));

/**
 * A text for the holders of passes, which may contain placeholders. Devices show one line of up to 85 characters for
 * certain and may crop more.
 */
export const PushText = AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(TEXT_CHARS_MAX));

/** An identifier of this service: read without regard to case, and in lower case from here on. */
export const OwnId = AnyText.transform(lowerUuid);

/** An IANA time zone. */
export const TimeZone = AnyText.pipe(z.string().refine(isTimeZone, TIME_ZONE_HINT));

const COLOR_PATTERN = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/**
 * `#rrggbb` in lower case of a hexadecimal colour with or without `#`, in short or long form; undefined for anything
 * else.
 */
export function normalizeColor(value: unknown): string | undefined {
  if (typeof value !== 'string' || !COLOR_PATTERN.test(value)) return undefined;
  const digits = value.replace('#', '').toLowerCase();
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`;
}

/** A hexadecimal color as it was sent; anything else is refused. */
export const ColorText = AnyText.pipe(z.string().refine((value) => normalizeColor(value) !== undefined, COLOR_HINT));

/** A template's color: `#rrggbb`. */
export const TemplateColor = ColorText.transform((value) => normalizeColor(value)!);

/** A number, or a string that is one; refuses NaN, infinities and empty strings. */
export const Numeric = z
  .union([z.number(), z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/, NUMBER_HINT)], { error: NUMBER_HINT })
  .transform(Number)
  .pipe(z.number(NUMBER_HINT));

const LANGUAGE_PATTERN = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Whether a text is a BCP 47 language code that this runtime accepts, such as `en` or `pt-BR`. */
export function isLanguageCode(text: string): boolean {
  if (!LANGUAGE_PATTERN.test(text)) return false;
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** A language as wallets and pages name it; the pattern stands here for the contract. */
export const LanguageCode = z
  .string()
  .regex(LANGUAGE_PATTERN, { error: LANGUAGE_HINT, abort: true })
  .refine(isLanguageCode, LANGUAGE_HINT);

/** A place near which a pass shows up. */
export const Location = z.object({
  latitude: Numeric.pipe(z.number().min(-90).max(90)),
  longitude: Numeric.pipe(z.number().min(-180).max(180)),
  altitude: Numeric.nullish(),
  maxDistance: Numeric.pipe(z.number().min(0)).nullish(),
  relevantText: PassText.nullish(),
  localizedRelevantText: z.record(LanguageCode, PassText).nullish(),
});
export type Location = z.infer<typeof Location>;

const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/;

/** `Y-m-d H:i` by form; whether the date exists is checked where the account's time zone is known. */
export const DateTimeText = AnyText.pipe(z.string().regex(DATE_TIME_PATTERN, DATE_TIME_HINT));
