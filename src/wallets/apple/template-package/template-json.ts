import { type Filling, fillMembers, type Kind } from '../../../domain/templates/apple/kinds.ts';
import {
  APPLE_MEMBER_NAMES,
  APPLE_MEMBERS,
  DATE_INFORMATION,
  UPCOMING_GUIDE,
  UPCOMING_IMAGES,
  UPCOMING_STORE_IDENTIFIERS,
} from '../../../domain/templates/apple/members.ts';
import { POSTER_LISTS } from '../../../domain/templates/apple/schemes.ts';
import { TAG_KINDS } from '../../../domain/templates/apple/semantic-tags.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import type { FieldItem } from '../../../domain/templates/field-lists.ts';
import { FIELD_LISTS } from '../../../domain/templates/list-names.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { formatIso, parseDateTime } from '../../../platform/dates.ts';
import { linkField } from '../fields.ts';
import { APPLE_FORMATS, rgb, STYLE_KEYS } from '../pass-json.ts';
import { placesOf } from '../strings.ts';
import { OWN_CODE } from './read-values.ts';

/** Settings of the template's account. */
interface Home {
  timezone: string;
  language: string;
}

/** Returns the texts of a template that have translations. */
export function translatedTexts(
  { translationsEnabled, translations, locations }: StoredDefinition,
  { language }: Home,
) {
  return { translations: translationsEnabled ? translations : {}, locations, language };
}

/**
 * Builds pass.json of a template: the common content of its passes, with placeholders. Leaves out identifiers, tokens,
 * NFC and everything else that belongs to a pass or an issuer, and members with a placeholder where Apple requires a
 * number or a date.
 */
export function templateJson(definition: StoredDefinition, home: Home): Record<string, unknown> {
  const timezone = timeZoneOf(home, definition);
  const { apple } = definition;
  const as: Filling = { text: (text) => text, url: (url) => url, timezone };
  const moment = (text: string | null | undefined) => isoOf(text, timezone);
  return {
    formatVersion: 1,
    organizationName: definition.organizationName,
    description: definition.description,
    logoText: definition.logoText || undefined,
    ...colorsOf(definition),
    ...codesOf(definition),
    ...placesOf(translatedTexts(definition, home)),
    relevantDate: moment(definition.relevantDate),
    expirationDate: moment(definition.expiration.expirationDate),
    sharingProhibited: definition.sharingProhibited || undefined,
    preferredStyleSchemes: apple?.preferredStyleSchemes ?? undefined,
    semantics: tagsOf(apple?.semantics, as),
    ...fillMembers(KINDS, apple ?? {}, as),
    relevantDates: datesOf(definition, as),
    upcomingPassInformation: upcomingOf(definition, as),
    posterGeneric: posterOf(definition, as),
    [STYLE_KEYS[definition.type]]: {
      transitType: definition.transitType ?? undefined,
      ...listsOf(definition, as),
      additionalInfoFields: fieldsOf(apple?.additionalInfoFields, 'additional-', as),
    },
  };
}

const KINDS: Record<string, Kind> = Object.fromEntries(
  APPLE_MEMBER_NAMES.map((name) => [name, APPLE_MEMBERS[name].kind]),
);

function isoOf(text: string | null | undefined, timezone: string): string | undefined {
  const millis = text ? parseDateTime(text, timezone) : undefined;
  return millis === undefined ? undefined : formatIso(millis, timezone);
}

function colorsOf({ colors }: StoredDefinition): Record<string, string | undefined> {
  return {
    backgroundColor: rgb(colors.backgroundColor),
    foregroundColor: rgb(colors.foregroundColor),
    labelColor: rgb(colors.labelColor),
    footerBackgroundColor: rgb(colors.footerBackgroundColor),
  };
}

/** Returns the barcode: a placeholder unless the template sets the same value for all passes. */
function codesOf({ barcode }: StoredDefinition): object {
  const { format, value, alternativeText, valueDifferentForEachPass, useAutoIdForValue } = barcode;
  if (format === 'none') return {};
  const message = valueDifferentForEachPass || useAutoIdForValue || value === '' ? OWN_CODE : value;
  const code = { format: APPLE_FORMATS[format], message, messageEncoding: 'utf-8' };
  return { barcodes: [{ ...code, altText: alternativeText || undefined }] };
}

/** Returns the relevant dates, starting with the template's own, as on its passes. */
function datesOf(definition: StoredDefinition, as: Filling): object[] | undefined {
  const own = isoOf(definition.relevantDate, as.timezone);
  const given = fillMembers(KINDS, { relevantDates: definition.apple?.relevantDates }, as).relevantDates;
  const dates = [...(own ? [{ date: own }] : []), ...((given ?? []) as { date?: string; relevantDate?: string }[])];
  if (dates.length === 0) return undefined;
  return dates.map((one) => {
    const at = one.date ?? one.relevantDate;
    return at === undefined ? one : { ...one, date: at, relevantDate: at };
  });
}

function tagsOf(tags: Record<string, unknown> | null | undefined, as: Filling): object | undefined {
  const filled = tags ? fillMembers(TAG_KINDS, tags, as) : {};
  return Object.keys(filled).length > 0 ? filled : undefined;
}

function upcomingOf({ apple }: StoredDefinition, as: Filling): object[] | undefined {
  const kinds = {
    dateInformation: DATE_INFORMATION,
    URLs: UPCOMING_GUIDE,
    images: UPCOMING_IMAGES,
    auxiliaryStoreIdentifiers: UPCOMING_STORE_IDENTIFIERS,
  };
  return apple?.upcomingPassInformation?.map((event) => ({
    identifier: event.identifier,
    name: event.name,
    type: 'event',
    isActive: event.isActive ?? undefined,
    ...fillMembers(kinds, event, as),
    semantics: tagsOf(event.semantics, as),
    additionalInfoFields: fieldsOf(event.additionalInfoFields, 'additional-', as),
    backFields: fieldsOf(event.backFields, 'back-', as),
  }));
}

function posterOf({ apple }: StoredDefinition, as: Filling): object | undefined {
  const poster = apple?.posterGeneric;
  if (!poster) return undefined;
  return Object.fromEntries(POSTER_LISTS.map((list) => [list, fieldsOf(poster[list], `poster-${list}`, as)]));
}

function listsOf({ fields, links }: StoredDefinition, as: Filling): Record<string, object[] | undefined> {
  const lists = Object.fromEntries(FIELD_LISTS.map((list) => [list, fieldsOf(fields[list], list, as)]));
  const taken = new Set(FIELD_LISTS.flatMap((list) => fields[list].map(({ key }) => key)));
  const linked = links.map((link, i) => {
    let key = `link-${i + 1}`;
    while (taken.has(key)) key = `_${key}`;
    return linkField(key, link);
  });
  return linked.length > 0 ? { ...lists, backFields: [...(lists.backFields ?? []), ...linked] } : lists;
}

function fieldsOf(items: FieldItem[] | null | undefined, prefix: string, as: Filling): object[] | undefined {
  if (!items?.length) return undefined;
  return items.map((item, i) => fieldOf({ ...item, key: item.key ?? `${prefix}${i}` }, as));
}

function fieldOf(item: FieldItem, as: Filling): object {
  const isDate = item.type === 'date';
  const isNumber = item.type === 'number' || item.type === 'currency';
  const unstyled = isDate && !item.dateStyle && !item.timeStyle;
  return {
    key: item.key,
    label: item.label || undefined,
    value: isDate ? dateValue(item, as.timezone) : isNumber ? numberValue(item.value) : item.value,
    changeMessage: item.changeMessage || undefined,
    textAlignment: item.alignment ?? undefined,
    row: item.row ?? undefined,
    dateStyle: item.dateStyle ?? (unstyled ? 'PKDateStyleMedium' : undefined),
    timeStyle: item.timeStyle ?? (unstyled ? 'PKDateStyleShort' : undefined),
    ignoresTimeZone: item.ignoresTimezone ?? undefined,
    isRelative: item.isRelative ?? undefined,
    currencyCode: isNumber ? (item.currencyCode ?? undefined) : undefined,
    numberStyle: isNumber ? (item.numberStyle ?? undefined) : undefined,
    semantics: tagsOf(item.semantics, as),
  };
}

/** Formats the value of a date field. A date that ignores the zone shows its local time. */
function dateValue({ value, ignoresTimezone }: FieldItem, timezone: string): string {
  return isoOf(value, ignoresTimezone ? 'UTC' : timezone) ?? value;
}

function numberValue(value: string): string | number {
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}
