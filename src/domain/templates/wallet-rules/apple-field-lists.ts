import { POSTER_LISTS, type PosterList } from '../apple/schemes.ts';
import type { TemplateDefinition } from '../definition.ts';
import type { FieldItem } from '../field-lists.ts';
import { FIELD_LISTS, type FieldList } from '../list-names.ts';

export type ListName = FieldList | PosterList;

/** List of fields in a definition, with its path. */
export interface PlacedList {
  path: string;
  list: ListName;
  items: FieldItem[];
}

/** Returns all lists of fields: of the style, of the poster, and of upcoming events. */
export function allLists(definition: TemplateDefinition): PlacedList[] {
  return [...styleLists(definition), ...ownPosterLists(definition), ...upcomingLists(definition).flat()];
}

/** Returns the lists of the pass's style. */
export function styleLists({ fields, apple }: TemplateDefinition): PlacedList[] {
  return [
    ...FIELD_LISTS.map((list) => ({ path: `fields.${list}`, list, items: fields[list] })),
    ...placed('apple', 'additionalInfoFields', apple?.additionalInfoFields),
  ];
}

/** Returns the lists that a poster shows; empty without a poster. Those that it doesn't have are the style's. */
export function shownOnPoster(definition: TemplateDefinition): PlacedList[] {
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
export function upcomingLists({ apple }: TemplateDefinition): PlacedList[][] {
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
