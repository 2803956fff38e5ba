import { z } from 'zod';
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from './limits.ts';

/** Text of a pass: numbers and booleans are turned into strings (decisions §1, "Bodies"). */
export const PassText = z
  .union([z.string(), z.number(), z.boolean()], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a string'),
  })
  .transform(String)
  .pipe(z.string().max(TEXT_CHARS_MAX));

/** A name that a caller chooses for a pass, a bundle or a group. */
export const PassName = PassText.pipe(z.string().max(NAME_CHARS_MAX));

const COLOR_PATTERN = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** `#rrggbb` in lower case of a hexadecimal colour with or without `#`, in short or long form; undefined for anything else. */
export function normalizeColor(value: unknown): string | undefined {
  if (typeof value !== 'string' || !COLOR_PATTERN.test(value)) return undefined;
  const digits = value.replace('#', '').toLowerCase();
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`;
}

/** A template's colour: hexadecimal, otherwise refused. */
export const TemplateColor = z
  .string()
  .refine((value) => normalizeColor(value) !== undefined, 'must be a hexadecimal color such as #1a2b3c')
  .transform((value) => normalizeColor(value)!);

/** A number, or a string that is one; refuses NaN, infinities and empty strings. */
export const Numeric = z
  .union([z.number(), z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/, 'must be a number')], {
    error: 'must be a number',
  })
  .transform(Number)
  .pipe(z.number('must be a number'));

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
  .regex(LANGUAGE_PATTERN, { error: 'must be a language code such as "en"', abort: true })
  .refine(isLanguageCode, 'must be a language code such as "en"');

/** A place near which a pass shows up (specification, "Location object"). */
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
export const DateTimeText = z.string().regex(DATE_TIME_PATTERN, 'must be a date in the format Y-m-d H:i');
