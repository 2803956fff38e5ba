import * as z from 'zod';
import { formatIso, isTimeZone, parseDate, parseDateTime } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import { AnyText, ColorText, EMAIL_HINT, normalizeColor, PassText, TIME_ZONE_HINT, textUpTo } from '../../fields.ts';

/*
 * The kinds of value that Apple's keys have: what a definition may say, and what becomes of it on a card. A value that
 * is not a text may be one with placeholders; what a pass fills in decides whether it is one.
 */

/** What fills the values of a pass. */
export interface Filling {
  text(text: string): string;
  /** Encodes what it fills in. */
  url(url: string): string;
  /** IANA zone of dates without their own. */
  timezone: string;
}

export interface Kind {
  schema: z.ZodType;
  /** The value as pass.json has it; undefined when the pass gives it none, or one that is not of this kind. */
  fill(value: unknown, filling: Filling): unknown;
}

const PLACEHOLDER = /\{[^{}]+\}/;
const isFilledLater = (text: string) => PLACEHOLDER.test(text);

/** A text whose value is read once its placeholders are filled; `read` gives undefined for one that is none. */
function readText(hint: string, read: (text: string, timezone: string) => unknown): Kind {
  const isValid = (text: string) => isFilledLater(text) || read(text, 'UTC') !== undefined;
  return {
    schema: PassText.pipe(z.string().refine(isValid, hint)),
    fill: (value, { text, timezone }) => read(text(String(value)).trim(), timezone),
  };
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

/** Shown to people, and translated where Apple translates it. */
export const text: Kind = { schema: PassText, fill: (value, filling) => filling.text(String(value)) || undefined };

export const flag: Kind = { schema: z.boolean(), fill: (value) => value };

/** A JSON number, and kept as it was sent. */
export function numberFrom(min: number, max: number, isWhole = false): Kind {
  const hint = `must be ${isWhole ? 'an integer' : 'a number'} from ${min} to ${max}, or a text with a placeholder`;
  const read = (text: string) => {
    const value = Number(text);
    const isOne = text !== '' && Number.isFinite(value) && value >= min && value <= max;
    return isOne && (!isWhole || Number.isInteger(value)) ? value : undefined;
  };
  const isValid = (value: string | number) =>
    (typeof value === 'string' && isFilledLater(value)) || read(String(value).trim()) !== undefined;
  return {
    schema: z.union([z.number(), z.string().max(NUMBER_CHARS_MAX)], hint).refine(isValid, hint),
    fill: (value, filling) => read(filling.text(String(value)).trim()),
  };
}

const NUMBER_CHARS_MAX = 200;

export const wholeUpTo = (max: number) => numberFrom(0, max, true);

const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/;

/** ISO 8601 with a zone; a local time without one counts in the zone of the dates. */
export const moment: Kind = readText(
  'must look like 2026-12-24 09:10, or like 2026-12-24T09:10:00+01:00',
  (text, timezone) => {
    if (ISO_WITH_ZONE.test(text)) return Number.isNaN(Date.parse(text)) ? undefined : text;
    const millis = parseDateTime(text, timezone) ?? parseDate(text, timezone);
    return millis === undefined ? undefined : formatIso(millis, timezone);
  },
);

export const timeZone: Kind = readText(TIME_ZONE_HINT, (text) => (isTimeZone(text) ? text : undefined));
const Email = z.email();
export const email: Kind = readText(EMAIL_HINT, (text) => Email.safeParse(text).data);
export const phone: Kind = readText(
  'must be a phone number such as +43 664 1234567',
  matching(/^\+?[\d\s().\-/]{3,40}$/),
);
export const uuid: Kind = readText(
  'must be a UUID such as 01980b5e-4a30-7a52-9c11-0242ac120000',
  matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
);
export const sha256: Kind = readText('must be a SHA-256 digest of 64 hexadecimal digits', matching(/^[0-9a-f]{64}$/i));
export const currency: Kind = readText('must be an ISO 4217 code such as "EUR"', matching(/^[A-Z]{3}$/));
/** A number as Apple writes amounts: as a text (SemanticTagType.CurrencyAmount). */
export const amount: Kind = readText('must be a number such as 12.50', matching(/^-?\d+(\.\d+)?$/));

const URL_CHARS_MAX = 2_048;

/** An address of one of these schemes; placeholders stand behind the scheme, and what fills them is encoded. */
export function link(schemes: RegExp, example: string): Kind {
  const isLink = (url: string) => URL.canParse(url) && schemes.test(new URL(url).protocol.slice(0, -1));
  return {
    schema: textUpTo(URL_CHARS_MAX).pipe(z.string().refine(isLink, `must be a URL such as ${example}`)),
    fill(value, { url }) {
      const filled = url(String(value));
      return isLink(filled) ? filled : undefined;
    },
  };
}

export const webLink = link(/^https?$/, 'https://example.com/parking');
export const anyLink = link(/^(?!javascript$|data$|file$)[a-z][a-z0-9+.-]*$/, 'https://example.com or myapp://card');

export const color: Kind = {
  schema: ColorText,
  fill(value) {
    const rgb = Number.parseInt(normalizeColor(value)!.slice(1), 16);
    return `rgb(${rgb >> 16}, ${(rgb >> 8) & 0xff}, ${rgb & 0xff})`;
  },
};

export function oneOf(values: readonly [string, ...string[]]): Kind {
  return { schema: z.enum(values), fill: (value) => value };
}

/** Items that a pass leaves empty are not there; a list without items is not there. */
export function listOf(item: Kind, max: number): Kind {
  return {
    schema: z.array(item.schema).max(max),
    fill(value, filling) {
      const items = (value as unknown[]).map((one) => item.fill(one, filling)).filter((one) => one !== undefined);
      return items.length > 0 ? items : undefined;
    },
  };
}

const optionals = new WeakMap<z.ZodType, z.ZodType>();

/** `schema` or nothing; the same schema each time, because a table names a few of them a hundred times. */
export function optional(schema: z.ZodType): z.ZodType {
  const known = optionals.get(schema) ?? schema.nullish();
  optionals.set(schema, known);
  return known;
}

/** Without one of its required members, a pass does not have the object. */
export function objectOf(members: Record<string, Kind>, required: readonly string[] = []): Kind {
  const shape = Object.entries(members).map(([name, { schema }]) => [
    name,
    required.includes(name) ? schema : optional(schema),
  ]);
  return {
    schema: z.object(Object.fromEntries(shape) as z.ZodRawShape),
    fill(value, filling) {
      const filled = fillMembers(members, value as Record<string, unknown>, filling);
      const isWhole = required.every((name) => filled[name] !== undefined);
      return isWhole && Object.keys(filled).length > 0 ? filled : undefined;
    },
  };
}

/** The members that a pass has a value for, in the order of the table. */
export function fillMembers(
  kinds: Record<string, Kind>,
  values: Record<string, unknown>,
  filling: Filling,
): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = values[name];
    const result = value === undefined || value === null ? undefined : kind.fill(value, filling);
    if (result !== undefined) filled[name] = result;
  }
  return filled;
}

const JSON_CHARS_MAX = 10_000;

/** A JSON object of the caller's own; texts in it take placeholders. */
export const json: Kind = {
  schema: z
    .record(z.string(), z.unknown())
    .refine(
      (value) => JSON.stringify(value).length <= JSON_CHARS_MAX,
      `must have at most ${JSON_CHARS_MAX} characters`,
    ),
  fill: (value, filling) => deeply(value, filling),
};

function deeply(value: unknown, filling: Filling): unknown {
  if (typeof value === 'string') return filling.text(value);
  if (Array.isArray(value)) return value.map((one) => deeply(one, filling));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deeply(one, filling)]));
}

/** A text as it is: an identifier that no device shows. */
export const identifier: Kind = {
  schema: AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(200)),
  fill: (value, filling) => filling.text(String(value)) || undefined,
};
