import { invalid } from '../../../domain/errors.ts';
import { TRANSIT_TYPES } from '../../../domain/templates/definition.ts';
import { FIELD_LISTS } from '../../../domain/templates/list-names.ts';
import { formatMinute, parseIso } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import { MEMBERS_OF_A_PASS } from './example-pass.ts';
import { APPLE_KEYS, isStartOfInterval, readApple } from './read-apple.ts';
import { readFields } from './read-fields.ts';
import { firstCode, hexColor, readBarcode } from './read-values.ts';
import type { PassReading } from './reading.ts';

const STYLES = ['boardingPass', 'coupon', 'eventTicket', 'generic', 'storeCard'] as const;
const COLORS = ['backgroundColor', 'foregroundColor', 'labelColor', 'footerBackgroundColor'] as const;
const KNOWN_MEMBERS = new Set<string>([
  ...STYLES,
  ...COLORS,
  ...APPLE_KEYS,
  'formatVersion',
  'organizationName',
  'description',
  'logoText',
  'barcode',
  'barcodes',
  'locations',
  'relevantDate',
  'expirationDate',
  'sharingProhibited',
]);

type Json = Record<string, unknown>;

/**
 * Reads the design and texts of a pass.json as a definition without images and translations. The result isn't validated
 * yet. Throws `invalid` for a pass without a style.
 */
export function readPass(pass: Json, roles: ReadonlySet<string>, given: PassReading): Json {
  const reading = { ...given, barcodeMessage: firstCode(pass)?.message };
  leaveOut(pass, reading);
  const [styleName, style] = styleOf(pass, reading);
  const { fields, links } = listsOf(style, styleName, reading);
  return {
    ...textsOf(pass),
    ...typeOf(styleName, style, roles, reading),
    fields,
    links,
    barcode: readBarcode(pass, reading),
    colors: colorsOf(pass, reading),
    locations: locationsOf(pass.locations, reading),
    ...relevanceOf(pass, reading),
    expiration: { expirationDate: expirationOf(pass.expirationDate, reading) },
    ...(typeof pass.sharingProhibited === 'boolean' && { sharingProhibited: pass.sharingProhibited }),
    ...(pass.groupingIdentifier !== undefined && { groupingIdentifierEnabled: true }),
    apple: readApple(pass, style, reading),
  };
}

/** Warns about members that are left out. */
function leaveOut(pass: Json, { isExample, warnings }: PassReading): void {
  for (const name of Object.keys(pass)) {
    const reason = Object.hasOwn(MEMBERS_OF_A_PASS, name) ? MEMBERS_OF_A_PASS[name] : undefined;
    if (reason) warnings.add(name, `${reason}; left out`);
    else if (!KNOWN_MEMBERS.has(name)) warnings.add(name, 'is not a member that templates have; left out');
  }
  if (isExample)
    warnings.add('fields', 'have the texts of the example pass; replace what belongs to its holder by placeholders');
}

function styleOf(pass: Json, { warnings }: PassReading): [(typeof STYLES)[number], Json] {
  const [name, ...others] = STYLES.filter((style) => isRecord(pass[style]));
  if (!name) throw invalid(`pass.json has no style; it must have one of ${STYLES.join(', ')}`);
  for (const other of others) warnings.add(other, `a template has one style, and this one is ${name}; left out`);
  return [name, pass[name] as Json];
}

function textsOf({ organizationName, description, logoText }: Json): Json {
  return { organizationName, description, ...(logoText != null && { logoText }) };
}

/** Returns type and transit type. Event tickets have either a strip, or a background with a thumbnail. */
function typeOf(name: string, style: Json, roles: ReadonlySet<string>, { warnings }: PassReading): Json {
  if (name === 'eventTicket') {
    const hasBackground = !roles.has('strip') && (roles.has('background') || roles.has('thumbnail'));
    return { type: hasBackground ? 'eventTicketBackground' : 'eventTicket' };
  }
  if (name !== 'boardingPass') return { type: name };
  const known = TRANSIT_TYPES.find((one) => one === style.transitType);
  if (!known) warnings.add('boardingPass.transitType', 'is missing or unknown; set to PKTransitTypeGeneric');
  return { type: name, transitType: known ?? 'PKTransitTypeGeneric' };
}

function listsOf(style: Json, styleName: string, reading: PassReading) {
  const known = ['transitType', 'additionalInfoFields', ...FIELD_LISTS];
  for (const name of Object.keys(style).filter((one) => !known.includes(one)))
    reading.warnings.add(`${styleName}.${name}`, 'is not a list of fields that templates have; left out');
  const read = FIELD_LISTS.map((list) => [list, readFields(style[list], `${styleName}.${list}`, reading)] as const);
  return {
    fields: Object.fromEntries(read.map(([list, { items }]) => [list, items])),
    links: read.flatMap(([, { links }]) => links),
  };
}

function colorsOf(pass: Json, { warnings }: PassReading): Json {
  const colors: Json = {};
  for (const name of COLORS) {
    if (pass[name] === undefined) continue;
    const color = hexColor(pass[name]);
    if (color) colors[name] = color;
    else warnings.add(name, 'must be a color such as rgb(29, 53, 87); left out');
  }
  return colors;
}

const LOCATION_KEYS = ['latitude', 'longitude', 'altitude', 'relevantText'];

function locationsOf(locations: unknown, { warnings }: PassReading): unknown[] {
  if (!Array.isArray(locations)) {
    if (locations !== undefined) warnings.add('locations', 'is not a list; left out');
    return [];
  }
  return locations.map((location) => {
    if (!isRecord(location)) return location;
    return Object.fromEntries(LOCATION_KEYS.flatMap((key) => (location[key] != null ? [[key, location[key]]] : [])));
  });
}

function relevanceOf(pass: Json, { timezone, warnings }: PassReading): Json {
  if (pass.relevantDate === undefined || isStartOfInterval(pass)) return {};
  const date = minuteOf(pass.relevantDate, timezone);
  if (!date) warnings.add('relevantDate', 'is not a date in ISO 8601 with its zone; left out');
  return { relevantDate: date };
}

function expirationOf(value: unknown, { isExample, now, timezone, warnings }: PassReading): string | undefined {
  if (value === undefined) return undefined;
  const date = minuteOf(value, timezone);
  if (!date) warnings.add('expirationDate', 'is not a date in ISO 8601 with its zone; left out');
  else if (isExample && Date.parse(String(value)) <= now) {
    warnings.add('expirationDate', `is in the past (${date}), so that new passes would be expired; left out`);
    return undefined;
  }
  return date;
}

/** Formats a time as `Y-m-d H:i`; undefined for anything else. */
function minuteOf(value: unknown, timezone: string): string | undefined {
  const millis = typeof value === 'string' ? parseIso(value) : undefined;
  return millis === undefined ? undefined : formatMinute(millis, timezone);
}
