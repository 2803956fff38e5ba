import * as z from 'zod';
import { formatIso, isTimeZone, parseDate, parseDateTime } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import { AnyText, ColorText, EMAIL_HINT, normalizeColor, PassText, TIME_ZONE_HINT, textUpTo } from '../../fields.ts';

/*
 * Kinds of values of Apple's keys: what a definition may contain, and what it becomes on a card. A value that isn't a
 * text may be given as a text with placeholders. It is then checked again once a pass fills them.
 */

/** Fills the values of a pass. */
export interface Filling {
  text(text: string): string;
  /** Encodes the values that it fills in. */
  url(url: string): string;
  /** IANA zone of dates without their own. */
  timezone: string;
}

export interface Kind {
  schema: z.ZodType;
  /** Returns the value for pass.json; undefined if the pass has none or it isn't of this kind. */
  fill(value: unknown, filling: Filling): unknown;
}

const PLACEHOLDER = /\{[^{}]+\}/;
const isFilledLater = (text: string) => PLACEHOLDER.test(text);

/** Creates a kind whose text is read after its placeholders are filled; `read` returns undefined for invalid text. */
function readText(hint: string, read: (text: string, timezone: string) => unknown): Kind {
  const isValid = (text: string) => isFilledLater(text) || read(text, 'UTC') !== undefined;
  return {
    schema: PassText.pipe(z.string().refine(isValid, hint)),
    fill: (value, { text, timezone }) => read(text(String(value)).trim(), timezone),
  };
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

/** Text for people, translated where Apple translates it. */
export const text: Kind = { schema: PassText, fill: (value, filling) => filling.text(String(value)) || undefined };

export const flag: Kind = { schema: z.boolean(), fill: (value) => value };

/** Creates the kind of a JSON number; stored as sent. */
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

/** ISO 8601 with a zone. A local time without one is in the zone of the pass's dates. */
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
/** Number as Apple writes amounts: as text (SemanticTagType.CurrencyAmount). */
export const amount: Kind = readText('must be a number such as 12.50', matching(/^-?\d+(\.\d+)?$/));

const URL_CHARS_MAX = 2_048;

/** Creates the kind of a URL with one of these schemes. Placeholders follow the scheme; their values are encoded. */
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

/** Creates the kind of a list. Empty items are left out, and so is a list without items. */
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

/** Makes a schema optional. Returns the same schema each time, because a table uses a few of them a hundred times. */
export function optional(schema: z.ZodType): z.ZodType {
  const known = optionals.get(schema) ?? schema.nullish();
  optionals.set(schema, known);
  return known;
}

/** Creates the kind of an object. It is left out if the pass lacks a required member, or if it isn't `useful`. */
export function objectOf(
  members: Record<string, Kind>,
  required: readonly string[] = [],
  useful: (filled: Record<string, unknown>) => boolean = () => true,
): Kind {
  const shape = Object.entries(members).map(([name, { schema }]) => [
    name,
    required.includes(name) ? schema : optional(schema),
  ]);
  return {
    schema: z.object(Object.fromEntries(shape) as z.ZodRawShape),
    fill(value, filling) {
      const filled = fillMembers(members, value as Record<string, unknown>, filling);
      const isWhole = required.every((name) => filled[name] !== undefined);
      return isWhole && Object.keys(filled).length > 0 && useful(filled) ? filled : undefined;
    },
  };
}

/** Returns the members for which a pass has a value, in the order of the table. */
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

/** JSON object of the caller. Its texts may contain placeholders. */
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

/** Text that no device shows, such as an ID. */
export const identifier: Kind = {
  schema: AnyText.pipe(z.string().trim().min(1, 'must not be empty').max(200)),
  fill: (value, filling) => filling.text(String(value)) || undefined,
};
