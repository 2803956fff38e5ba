import { APPLE_MEMBER_NAMES } from '../../../domain/templates/apple/members.ts';
import { POSTER_LISTS } from '../../../domain/templates/apple/schemes.ts';
import { parseIso } from '../../../platform/dates.ts';
import { isRecord } from '../../../platform/json.ts';
import { ADDRESS_OF_ONE_PASS, isAddressOfOnePass } from './example-pass.ts';
import { readFields } from './read-fields.ts';
import { readSemantics, withPlainMoments } from './read-values.ts';
import type { PassReading } from './reading.ts';

/** Keys of pass.json that this file reads. */
export const APPLE_KEYS: readonly string[] = [
  ...APPLE_MEMBER_NAMES,
  'preferredStyleSchemes',
  'posterGeneric',
  'upcomingPassInformation',
  'semantics',
];

/**
 * Returns the member `apple` of a definition; undefined if pass.json has nothing for it. `style`: the content of the
 * style.
 */
export function readApple(
  pass: Record<string, unknown>,
  style: Record<string, unknown>,
  reading: PassReading,
): Record<string, unknown> | undefined {
  const apple: Record<string, unknown> = {};
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== null) apple[name] = value;
  };
  for (const name of APPLE_MEMBER_NAMES) put(name, pass[name]);
  if (reading.isExample && apple.userInfo !== undefined) {
    delete apple.userInfo;
    reading.warnings.add('userInfo', 'it may belong to the holder of the example pass; left out');
  }
  put('relevantDates', withPlainMoments(datesOf(pass)));
  put('preferredStyleSchemes', pass.preferredStyleSchemes);
  put('semantics', readSemantics(pass.semantics, 'semantics', reading));
  put('posterGeneric', posterOf(pass.posterGeneric, reading));
  put('additionalInfoFields', fieldsOf(style.additionalInfoFields, 'additionalInfoFields', reading));
  put('upcomingPassInformation', upcomingOf(pass.upcomingPassInformation, reading));
  if (Array.isArray(apple.relevantDates) && apple.relevantDates.length === 0) delete apple.relevantDates;
  const kept = withoutAddresses(apple, reading);
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/**
 * Returns the relevant dates. Each has two members, one per system version. The first can be the pass's own date
 * (`relevantDate`).
 */
function datesOf({ relevantDates, relevantDate }: Record<string, unknown>): unknown {
  if (!Array.isArray(relevantDates)) return relevantDates;
  const own = millisOf(relevantDate);
  return relevantDates.flatMap((entry, i) => {
    if (!isRecord(entry)) return [entry];
    const { date, relevantDate: same, ...rest } = entry;
    const at = date ?? same;
    if (at === undefined) return [entry];
    return i === 0 && own !== undefined && millisOf(at) === own ? [] : [{ ...rest, date: at }];
  });
}

/** Returns whether the pass's date is only a copy of the start of its first interval. */
export function isStartOfInterval({ relevantDates, relevantDate }: Record<string, unknown>): boolean {
  const first = Array.isArray(relevantDates) ? relevantDates[0] : undefined;
  const start = isRecord(first) ? millisOf(first.startDate) : undefined;
  return start !== undefined && start === millisOf(relevantDate);
}

function millisOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseIso(value) : undefined;
}

function fieldsOf(list: unknown, path: string, reading: PassReading) {
  const { items } = readFields(list, path, reading);
  return items.length > 0 ? items : undefined;
}

function posterOf(poster: unknown, reading: PassReading): object | undefined {
  if (!isRecord(poster)) return undefined;
  const lists = POSTER_LISTS.map((list) => [list, fieldsOf(poster[list], `posterGeneric.${list}`, reading)]);
  return Object.fromEntries(lists.filter(([, items]) => items !== undefined));
}

function upcomingOf(events: unknown, reading: PassReading): unknown {
  if (!Array.isArray(events)) return events;
  return events.map((event, i) => {
    if (!isRecord(event)) return event;
    const path = `upcomingPassInformation.${i}`;
    return {
      ...event,
      ...(event.dateInformation != null && { dateInformation: withPlainMoments(event.dateInformation) }),
      semantics: readSemantics(event.semantics, `${path}.semantics`, reading),
      additionalInfoFields: fieldsOf(event.additionalInfoFields, `${path}.additionalInfoFields`, reading),
      backFields: fieldsOf(event.backFields, `${path}.backFields`, reading),
    };
  });
}

/** Members whose texts are texts of fields. */
const FIELD_MEMBERS = new Set(['posterGeneric', 'additionalInfoFields', 'backFields']);

/** Returns Apple's members without addresses of one holder, at every level. */
function withoutAddresses(apple: Record<string, unknown>, { isExample, warnings }: PassReading) {
  if (!isExample) return apple;
  const { featuredActions: actions, ...kept } = withoutAddressesIn(apple, '', warnings) as Record<string, unknown>;
  if (actions === undefined) return kept;
  if (!Array.isArray(actions)) return { ...kept, featuredActions: actions };
  // An action without an address or a place does nothing.
  const useful = actions.filter((one) => !isRecord(one) || one.url != null || one.placeIdentifier != null);
  return useful.length > 0 ? { ...kept, featuredActions: useful } : kept;
}

/** Returns undefined for such an address. */
function withoutAddressesIn(value: unknown, path: string, warnings: PassReading['warnings']): unknown {
  if (typeof value === 'string') {
    if (!isAddressOfOnePass(value)) return value;
    warnings.add(path, ADDRESS_OF_ONE_PASS);
    return undefined;
  }
  const part = (name: string, one: unknown) =>
    FIELD_MEMBERS.has(name) ? one : withoutAddressesIn(one, path === '' ? name : `${path}.${name}`, warnings);
  if (Array.isArray(value)) return value.map((one, i) => part(String(i), one)).filter((one) => one !== undefined);
  if (!isRecord(value)) return value;
  const parts = Object.entries(value).map(([name, one]) => [name, part(name, one)] as const);
  return Object.fromEntries(parts.filter(([, one]) => one !== undefined));
}
