import { formatMinute } from '../../../platform/dates.ts';
import { checkPropertyValue } from '../../templates/additional-properties.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import { isFlight } from './used-fields.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Validity of a sample pass if its template requires a date for each pass. */
const SAMPLE_VALIDITY_DAYS = 30;

export interface SampleOptions {
  /** Suffix that makes unique values differ. */
  tag: string;
  /** UTC milliseconds. */
  now: number;
  timezone: string;
  /** Values that a user chose for additional properties, by property ID; an empty text counts as none. */
  chosen?: Record<string, string>;
}

/** Returns a valid value for every field that callers can fill, without recipients: samples send no messages. */
export function sampleFields(definition: StoredDefinition, options: SampleOptions): Record<string, unknown> {
  const { tag, now, timezone, chosen = {} } = options;
  const inDays = (days: number) => formatMinute(now + days * DAY_MS, timezone);
  const properties = definition.additionalProperties.map((property) => [
    property.id,
    chosen[property.id] || sampleValue(property, tag, inDays(1)),
  ]);
  return {
    userProvidedId: `sample-${tag}`,
    storedValue: SAMPLE_STORED_VALUE,
    ...(definition.expiration.expirationDateDifferentForEachPass
      ? { expirationDate: inDays(SAMPLE_VALIDITY_DAYS) }
      : {}),
    ...(definition.relevantDateDifferentForEachPass ? { relevantDate: inDays(1) } : {}),
    ...(isFlight(definition) ? sampleFlight(inDays(1).slice(0, 10)) : {}),
    ...Object.fromEntries(properties),
  };
}

const SAMPLE_STORED_VALUE = 120;

/** Returns a sample value of a property: its default, or a value of its type. */
export function sampleValue(
  property: StoredDefinition['additionalProperties'][number],
  tag: string,
  tomorrow: string,
): string {
  const { name, type, unique, default: preset, options } = property;
  if (preset && !unique && 'value' in checkPropertyValue(property, preset)) return preset;
  const known = KNOWN_NAMES.find(([pattern]) => pattern.test(name))?.[1];
  switch (type) {
    case 'checkbox':
      return 'true';
    case 'number':
      return unique ? String(digitsOf(tag)) : '42';
    case 'date':
      return tomorrow.slice(0, 10);
    case 'datetime':
      return tomorrow;
    case 'email':
      return unique ? `sample-${tag.toLowerCase()}@example.com` : 'alex@example.com';
    case 'select':
    case 'radiobutton':
      return options?.[0] ?? '';
    default:
      return unique ? `${known ?? name} ${tag}` : (known ?? name);
  }
}

const KNOWN_NAMES: [RegExp, string][] = [
  [/^(first|given)[ _-]?name$/i, 'Alex'],
  [/^(last|family)[ _-]?name$/i, 'Morgan'],
  [/name$/i, 'Alex Morgan'],
  [/^(phone|mobile)/i, '+43 660 1234567'],
];

function digitsOf(tag: string): number {
  return Array.from(tag).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1_000_000_000, 7);
}

function sampleFlight(day: string) {
  return {
    originAirportCode: 'ZRH',
    destinationAirportCode: 'LIS',
    localBoardingDateTime: `${day}T09:20`,
    localScheduledDepartureTime: `${day}T10:00`,
    localScheduledArrivalDateTime: `${day}T12:00`,
    passengerName: 'Alex Morgan',
    carrierCode: 'XA',
    flightNumber: 418,
    confirmationCode: 'QX3Y7Z',
    originAirportGate: 'F12',
    originAirportTerminal: '3',
    seatClass: 'Economy',
    seatNumber: '23A',
    sequenceNumber: '42',
    boardingGroup: '2',
  };
}
