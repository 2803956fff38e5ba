import type { UpcomingEvent } from '../../templates/apple/features.ts';
import { type Filling, fillMembers, type Kind } from '../../templates/apple/kinds.ts';
import {
  APPLE_MEMBER_NAMES,
  APPLE_MEMBERS,
  DATE_INFORMATION,
  UPCOMING_GUIDE,
  UPCOMING_IMAGES,
  UPCOMING_STORE_IDENTIFIERS,
} from '../../templates/apple/members.ts';
import { POSTER_LISTS } from '../../templates/apple/schemes.ts';
import { fillSemantics } from '../../templates/apple/semantic-tags.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { FieldItem } from '../../templates/field-lists.ts';
import type { CardApple, CardField } from './card.ts';

const KINDS: Record<string, Kind> = Object.fromEntries(
  APPLE_MEMBER_NAMES.map((name) => [name, APPLE_MEMBERS[name].kind]),
);

/** Returns the Apple Wallet features of a card; undefined if the definition has none. */
export function cardApple(
  definition: StoredDefinition,
  filling: Filling,
  toField: (item: FieldItem) => CardField,
): CardApple | undefined {
  const { apple } = definition;
  if (!apple) return undefined;
  const fieldsOf = (items: FieldItem[] | null | undefined, prefix: string) =>
    (items ?? []).map((item, i) => toField({ ...item, key: item.key ?? `${prefix}${i}` }));
  const { posterGeneric } = apple;
  const posterLists = POSTER_LISTS.filter((list) => posterGeneric?.[list]);
  return {
    members: fillMembers(KINDS, apple, filling),
    semantics: fillSemantics(apple.semantics, definition, filling),
    posterGeneric: posterGeneric
      ? Object.fromEntries(posterLists.map((list) => [list, fieldsOf(posterGeneric[list], `poster-${list}`)]))
      : undefined,
    additionalInfoFields: fieldsOf(apple.additionalInfoFields, 'additional-'),
    upcoming: (apple.upcomingPassInformation ?? []).flatMap((event) => {
      const members = upcomingMembers(event, definition, filling);
      if (!members) return [];
      return {
        members,
        additionalInfoFields: fieldsOf(event.additionalInfoFields, 'additional-'),
        backFields: fieldsOf(event.backFields, 'back-'),
      };
    }),
  };
}

/** Returns the members of an event; undefined if it has no name on this pass. */
function upcomingMembers(event: UpcomingEvent, definition: StoredDefinition, filling: Filling) {
  const name = filling.text(event.name);
  if (name === '') return undefined;
  const more = {
    dateInformation: DATE_INFORMATION,
    URLs: UPCOMING_GUIDE,
    images: UPCOMING_IMAGES,
    auxiliaryStoreIdentifiers: UPCOMING_STORE_IDENTIFIERS,
  };
  return {
    identifier: filling.text(event.identifier as string),
    name,
    type: 'event',
    ...fillMembers(more, event, filling),
    isActive: event.isActive ?? undefined,
    semantics: fillSemantics(event.semantics, definition, filling),
  };
}
