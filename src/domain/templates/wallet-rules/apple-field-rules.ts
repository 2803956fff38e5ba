import { POSTER_LISTS, type PosterList } from '../apple/schemes.ts';
import { hasEffect, SEMANTIC_TAGS } from '../apple/semantic-tags.ts';
import type { Semantics } from '../apple/semantics.ts';
import { SOURCES } from '../apple/sources.ts';
import { FIELD_LIMITS, GENERIC_BESIDE_SQUARE_CODE, POSTER_LIMITS, SECOND_ROW_MAX } from '../apple/styles.ts';
import type { TemplateDefinition } from '../definition.ts';
import type { FieldItem } from '../field-lists.ts';
import { FIELD_LISTS, type FieldList } from '../list-names.ts';
import type { Note } from './finding.ts';

type ListName = FieldList | PosterList;

/** List of fields in a definition, with its path. */
interface PlacedList {
  path: string;
  list: ListName;
  items: FieldItem[];
}

/** Returns all lists of fields: of the style, of the poster, and of upcoming events. */
function allLists(definition: TemplateDefinition): PlacedList[] {
  return [...styleLists(definition), ...ownPosterLists(definition), ...upcomingLists(definition).flat()];
}

/** Returns the lists of the pass's style. */
function styleLists({ fields, apple }: TemplateDefinition): PlacedList[] {
  return [
    ...FIELD_LISTS.map((list) => ({ path: `fields.${list}`, list, items: fields[list] })),
    ...placed('apple', 'additionalInfoFields', apple?.additionalInfoFields),
  ];
}

/** Returns the lists that a poster shows; empty without a poster. Those that it doesn't have are the style's. */
function shownOnPoster(definition: TemplateDefinition): PlacedList[] {
  const { posterGeneric } = definition.apple ?? {};
  if (!posterGeneric) return [];
  const inherited = styleLists(definition).filter(
    ({ path, list }) => path.startsWith('fields.') && isPosterList(list) && !posterGeneric[list],
  );
  return [...inherited, ...ownPosterLists(definition)];
}

function ownPosterLists({ apple }: TemplateDefinition): PlacedList[] {
  return POSTER_LISTS.flatMap((list) => placed('apple.posterGeneric', list, apple?.posterGeneric?.[list]));
}

/** Returns the lists of each upcoming event. */
function upcomingLists({ apple }: TemplateDefinition): PlacedList[][] {
  return (apple?.upcomingPassInformation ?? []).map((event, i) => {
    const path = `apple.upcomingPassInformation.${i}`;
    return [
      ...placed(path, 'additionalInfoFields', event.additionalInfoFields),
      ...placed(path, 'backFields', event.backFields),
    ];
  });
}

function placed(path: string, list: ListName, items: FieldItem[] | null | undefined): PlacedList[] {
  return items ? [{ path: `${path}.${list}`, list, items }] : [];
}

function isPosterList(list: ListName): list is PosterList {
  return (POSTER_LISTS as readonly string[]).includes(list);
}

const SQUARE = new Set(['qr', 'aztec']);

/** Notes fields that a style cuts off. */
export function noteCutFields(definition: TemplateDefinition, note: Note): void {
  const { type, fields } = definition;
  const { shared, ...limits } = FIELD_LIMITS[type];
  const cut = (list: string, max: number, count: number, of = `${type} shows`) => {
    if (count > max) note('warning', `${list}.${max}`, `is not shown: ${of} at most ${max}`, SOURCES.design);
  };
  for (const list of ['headerFields', 'primaryFields', 'secondaryFields'] as const) {
    if (limits[list] !== undefined) cut(`fields.${list}`, limits[list], fields[list].length);
  }
  if (limits.auxiliaryFields !== undefined) {
    const second = type.startsWith('eventTicket') ? fields.auxiliaryFields.filter(({ row }) => row === 1).length : 0;
    const max = limits.auxiliaryFields + Math.min(second, SECOND_ROW_MAX);
    cut('fields.auxiliaryFields', max, fields.auxiliaryFields.length);
  }
  const isBesideCode = type === 'generic' && SQUARE.has(definition.barcode.format);
  const line = shared ?? (isBesideCode ? GENERIC_BESIDE_SQUARE_CODE : undefined);
  const [secondary, auxiliary] = [fields.secondaryFields.length, fields.auxiliaryFields.length];
  if (line !== undefined && secondary + auxiliary > line) {
    const place = secondary > line ? `secondaryFields.${line}` : `auxiliaryFields.${line - secondary}`;
    const where = isBesideCode ? 'a generic pass with a square code' : `a ${type}`;
    const message = `is not shown: on ${where}, secondary and auxiliary fields share a line of ${line}`;
    note('warning', `fields.${place}`, message, SOURCES.design);
  }
  for (const list of POSTER_LISTS) {
    const [items, max] = [definition.apple?.posterGeneric?.[list], POSTER_LIMITS[list]];
    if (items && max !== undefined) cut(`apple.posterGeneric.${list}`, max, items.length, 'a poster shows');
  }
}

/** Notes members of single fields that have no effect at their position. */
export function noteFields(definition: TemplateDefinition, note: Note): void {
  for (const { path, list, items } of allLists(definition)) {
    for (const [i, field] of items.entries()) {
      noteField(field, list, definition, (severity, name, message, source) =>
        note(severity, `${path}.${i}.${name}`, message, source),
      );
    }
  }
}

function noteField(field: FieldItem, list: ListName, definition: TemplateDefinition, note: Note): void {
  const { type, alignment, row, numberStyle, currencyCode, dateStyle, timeStyle } = field;
  if (alignment && (list === 'primaryFields' || list === 'backFields'))
    note('warning', 'alignment', 'is left out: primary and back fields have no alignment', SOURCES.fieldContent);
  if (row != null && !(list === 'auxiliaryFields' && definition.type.startsWith('eventTicket')))
    note('warning', 'row', 'is left out: only auxiliary fields of event tickets have rows', SOURCES.fieldContent);
  if (type !== 'number' && type !== 'currency') {
    for (const name of ['numberStyle', 'currencyCode'] as const) {
      const message = `is left out: the value is not a number; use type ${name === 'numberStyle' ? 'number' : 'currency'}`;
      if ({ numberStyle, currencyCode }[name]) note('warning', name, message, SOURCES.fieldContent);
    }
  }
  if (type !== 'date') {
    for (const name of ['dateStyle', 'timeStyle'] as const) {
      const message = 'is left out: the value is not a date; use type date';
      if ({ dateStyle, timeStyle }[name]) note('warning', name, message, SOURCES.fieldContent);
    }
  }
  if (field.semantics) noteTags(field.semantics, 'semantics', definition, note);
}

const WORDS: Record<string, string> = {
  event: 'event tickets',
  boarding: 'boarding passes',
  air: 'air boarding passes',
  rail: 'train boarding passes',
  journey: 'boarding passes and event tickets',
  store: 'store cards',
};

/** Notes semantic tags that belong to other styles. */
export function noteTags(tags: Semantics, path: string, definition: TemplateDefinition, note: Note): void {
  for (const tag of Object.keys(tags)) {
    const known = Object.hasOwn(SEMANTIC_TAGS, tag) ? SEMANTIC_TAGS[tag] : undefined;
    if (!known || hasEffect(known.style, definition)) continue;
    note('warning', `${path}.${tag}`, `is left out: it is a tag of ${WORDS[known.style]}`, SOURCES.semanticTags);
  }
}

/**
 * Notes keys that occur twice in what a device shows at once: the style, the poster, or an upcoming event. The style
 * and the poster may share keys, as in Apple's examples, because a device shows only one of them.
 */
export function noteKeys(definition: TemplateDefinition, note: Note): void {
  for (const lists of [styleLists(definition), shownOnPoster(definition), ...upcomingLists(definition)])
    noteRepeats(lists, note);
}

function noteRepeats(lists: PlacedList[], note: Note): void {
  const first = new Map<string, string>();
  for (const { path, items } of lists) {
    for (const [i, { key }] of items.entries()) {
      if (!key) continue;
      const other = first.get(key);
      const message = `"${key}" is also the key of ${other}; in the pass file, this field gets another key`;
      if (other === undefined) first.set(key, `${path}.${i}`);
      else note('warning', `${path}.${i}.key`, message, SOURCES.fieldContent);
    }
  }
}
