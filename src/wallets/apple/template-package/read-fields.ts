import { formatMinute, parseIso } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import { ADDRESS_OF_ONE_PASS, isAddressOfOnePass } from './example-pass.ts';
import { plainMoment, readSemantics } from './read-values.ts';
import type { PassReading } from './reading.ts';

/** Apple's names of field members whose name differs in a definition. */
const RENAMED: Record<string, string> = { textAlignment: 'alignment', ignoresTimeZone: 'ignoresTimezone' };
const COPIED_MEMBERS = [
  'key',
  'label',
  'changeMessage',
  'textAlignment',
  'dateStyle',
  'timeStyle',
  'ignoresTimeZone',
  'isRelative',
  'currencyCode',
  'numberStyle',
  'row',
] as const;
const CONVERTED_MEMBERS = new Set(['value', 'attributedValue', 'dataDetectorTypes', 'semantics']);
const KNOWN = new Set<string>([...COPIED_MEMBERS, ...CONVERTED_MEMBERS]);

export interface ReadFields {
  items: Record<string, unknown>[];
  links: { label: string; url: string }[];
}

/** Reads the fields of a list of pass.json for a definition. A field that is only a link becomes one of its links. */
export function readFields(list: unknown, path: string, reading: PassReading): ReadFields {
  const read: ReadFields = { items: [], links: [] };
  if (list === undefined || list === null) return read;
  if (!Array.isArray(list)) {
    reading.warnings.add(path, 'is not a list; left out');
    return read;
  }
  for (const [i, content] of list.entries()) {
    const place = `${path}.${i}`;
    if (!isRecord(content)) reading.warnings.add(place, 'is not a field; left out');
    else if (isPushText(content)) reading.warnings.add(place, 'the service adds this field to each pass; left out');
    else readField(content, place, reading, read);
  }
  return read;
}

/** Returns whether a field is the one for push texts, which this service adds to each pass. */
function isPushText({ key, changeMessage }: Record<string, unknown>): boolean {
  return typeof key === 'string' && /^_*push-text$/.test(key) && changeMessage === '%@';
}

/** A text that is one link, with its attributes. */
const ANCHOR = /^\s*<a(\s[^<>]*)>[^<>]*<\/a>\s*$/i;
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

function linkOf(attributed: unknown): string | undefined {
  const isShort = typeof attributed === 'string' && attributed.length < 10_000;
  const match = HREF.exec((isShort && ANCHOR.exec(attributed)?.[1]) || '');
  const url = (match?.[1] ?? match?.[2])?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  return url && /^(https?|tel|mailto):/i.test(url) ? url : undefined;
}

function readField(content: Record<string, unknown>, place: string, reading: PassReading, read: ReadFields): void {
  const { attributedValue, label = '' } = content;
  const url = /(^|\.)backFields\./.test(place) ? linkOf(attributedValue) : undefined;
  if (url && reading.isExample && isAddressOfOnePass(url)) {
    reading.warnings.add(place, ADDRESS_OF_ONE_PASS);
    return;
  }
  if (url) {
    read.links.push({ label: String(label ?? ''), url });
    return;
  }
  const { warnings } = reading;
  if (attributedValue !== undefined) warnings.add(`${place}.attributedValue`, 'fields have plain texts; left out');
  if (content.dataDetectorTypes !== undefined)
    warnings.add(`${place}.dataDetectorTypes`, 'devices look for dates, addresses, numbers and links anyway; left out');
  for (const name of Object.keys(content).filter((one) => !KNOWN.has(one)))
    warnings.add(`${place}.${name}`, 'is not a member of fields; left out');
  const item: Record<string, unknown> = {};
  for (const name of COPIED_MEMBERS) if (content[name] != null) item[RENAMED[name] ?? name] = content[name];
  if (item.currencyCode !== undefined && !/^[A-Z]{3}$/.test(String(item.currencyCode))) {
    delete item.currencyCode;
    warnings.add(`${place}.currencyCode`, 'must be an ISO 4217 code such as "EUR"; left out');
  }
  if (item.currencyCode !== undefined && item.numberStyle !== undefined) {
    delete item.numberStyle;
    warnings.add(`${place}.numberStyle`, 'a currency excludes it; left out');
  }
  const semantics = readSemantics(content.semantics, `${place}.semantics`, reading);
  read.items.push({
    ...item,
    ...contentOf({ ...content, currencyCode: item.currencyCode }, place, reading),
    ...(semantics && { semantics }),
  });
}

/** Returns the type and value of a field. A value that repeats the example's barcode becomes a placeholder. */
function contentOf({ value, ...content }: Record<string, unknown>, place: string, reading: PassReading) {
  const type = typeOf(value, content);
  if (value === undefined || value === null) return { type, value: '' };
  if (reading.isExample && value !== '' && String(value) === reading.barcodeMessage) {
    reading.warnings.add(`${place}.value`, 'repeats the code of the example pass; replaced by {barcodeValue}');
    return { type, value: '{barcodeValue}' };
  }
  const isDate = type === 'date' && typeof value === 'string';
  return { type, value: isDate ? localDate(value, content.ignoresTimeZone === true, reading.timezone) : value };
}

function typeOf(value: unknown, { currencyCode, numberStyle, dateStyle, timeStyle }: Record<string, unknown>): string {
  if (currencyCode != null) return 'currency';
  if (numberStyle != null || typeof value === 'number') return 'number';
  return dateStyle != null || timeStyle != null ? 'date' : 'text';
}

/** Formats a date as `Y-m-d H:i` in the template's zone if that loses nothing. */
function localDate(text: string, ignoresZone: boolean, timezone: string): string {
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text)) return text;
  const millis = parseIso(text);
  if (millis === undefined || millis % 60_000 !== 0) return plainMoment(text);
  return ignoresZone ? text.slice(0, 16).replace('T', ' ') : formatMinute(millis, timezone);
}
