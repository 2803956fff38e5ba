import { normalizeColor } from '../../../domain/fields.ts';
import type { BarcodeFormat } from '../../../platform/barcode-formats.ts';
import { isRecord } from '../../../platform/json.ts';
import { APPLE_FORMATS } from '../pass-json.ts';
import { isOfOnePass } from './example-pass.ts';
import type { PassReading } from './reading.ts';

/** ISO 8601 in other systems' variants: with fractions of a second, or an offset without a colon. */
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:(Z)|([+-]\d{2}):?(\d{2}))$/;

/** Normalizes a time for definitions, to the second. Leaves any other text unchanged. */
export function plainMoment(text: string): string {
  const [, local, utc, hours, minutes] = MOMENT.exec(text) ?? [];
  if (local === undefined) return text;
  return local + (utc ?? `${hours}:${minutes}`);
}

/** Normalizes every text in a value. */
export function withPlainMoments(value: unknown): unknown {
  if (typeof value === 'string') return plainMoment(value);
  if (Array.isArray(value)) return value.map(withPlainMoments);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPlainMoments(part)]));
}

const RGB = /^\s*rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)\s*$/i;

/** Converts a color of pass.json such as `rgb(29, 53, 87)` to `#rrggbb`; undefined for anything else. */
export function hexColor(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? RGB.exec(value)?.slice(1).map(Number) : undefined;
  if (!parts) return normalizeColor(value);
  if (parts.some((part) => part > 255)) return undefined;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Placeholder for the barcode value in pass.json of a template. */
export const OWN_CODE = '{barcodeValue}';

interface Code {
  format: BarcodeFormat;
  message?: string;
  altText?: string;
}

const FORMATS = Object.fromEntries(Object.entries(APPLE_FORMATS).map(([ours, apples]) => [apples, ours])) as Record<
  string,
  BarcodeFormat
>;

/** Returns the code that devices show: the first one with a known format. */
export function firstCode({ barcodes, barcode }: Record<string, unknown>): Code | undefined {
  for (const code of [...(Array.isArray(barcodes) ? barcodes : []), barcode]) {
    if (!isRecord(code) || typeof code.format !== 'string' || !Object.hasOwn(FORMATS, code.format)) continue;
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { format: FORMATS[code.format]!, message: text(code.message), altText: text(code.altText) };
  }
  return undefined;
}

/**
 * Returns the member `barcode` of a definition: the format, and the part of the text below it that is the same on all
 * passes.
 */
export function readBarcode(pass: Record<string, unknown>, { isExample, warnings }: PassReading): object {
  const code = firstCode(pass);
  if (!code) {
    if (pass.barcodes !== undefined || pass.barcode !== undefined)
      warnings.add('barcodes', 'has no code of a known format; the template shows none');
    return { format: 'none' };
  }
  const { format, message = OWN_CODE, altText = '' } = code;
  if (!isExample) {
    const isOwn = message === OWN_CODE || message === '';
    return { format, alternativeText: altText, ...(isOwn ? { useAutoIdForValue: true } : { value: message }) };
  }
  const own = { format, useAutoIdForValue: true };
  warnings.add('barcodes', 'the message belongs to the example pass; each pass gets a code of its own');
  if (altText === message) return { ...own, alternativeText: OWN_CODE };
  if (altText !== '') warnings.add('barcodes.altText', 'belongs to the example pass; left out');
  return own;
}

/** Reads semantic tags for a definition; undefined if none are left. */
export function readSemantics(
  tags: unknown,
  path: string,
  { isExample, warnings }: PassReading,
): Record<string, unknown> | undefined {
  if (tags === undefined || tags === null) return undefined;
  if (!isRecord(tags)) {
    warnings.add(path, 'must be an object; left out');
    return undefined;
  }
  const names = Object.keys(tags);
  const personal = isExample ? names.filter(isOfOnePass) : [];
  if (personal.length > 0) warnings.add(path, `${personal.join(', ')} belong to the example pass; left out`);
  const kept = names.filter((name) => !personal.includes(name));
  if (kept.length === 0) return undefined;
  const contentOf = (name: string) => (name === 'seats' ? seatsOf(tags.seats) : withPlainMoments(tags[name]));
  return Object.fromEntries(kept.map((name) => [name, contentOf(name)]));
}

/** Converts the colors of seats, which are hexadecimal in a definition. */
function seatsOf(seats: unknown): unknown {
  if (!Array.isArray(seats)) return seats;
  return seats.map((seat) => {
    const color = isRecord(seat) ? hexColor(seat.seatSectionColor) : undefined;
    return color ? { ...seat, seatSectionColor: color } : seat;
  });
}
