import { isLanguageCode } from '../../fields.ts';
import type { UpcomingEvent } from '../../templates/apple/features.ts';
import { type Filling as AppleFilling, fillMembers, type Kind } from '../../templates/apple/kinds.ts';
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
import { hasLocalizedBackgrounds, PASS_IMAGE_ROLES } from '../images/pass-images.ts';
import type { Pass } from '../table.ts';
import type { Card, CardApple, CardField, CardTexts } from './card.ts';
import { fillPlaceholders, type PlaceholderSource, type TextRoom } from './placeholders.ts';

/** Returns the colors of a card. The pass's own colors take precedence over the template's. */
export function cardColors(definition: StoredDefinition, own: Card['colors'], voided: boolean): Card['colors'] {
  const { backgroundColor, foregroundColor, labelColor, footerBackgroundColor, voidedBackgroundColor } =
    definition.colors;
  return {
    backgroundColor:
      (voided ? voidedBackgroundColor : undefined) ?? own.backgroundColor ?? backgroundColor ?? undefined,
    foregroundColor: own.foregroundColor ?? foregroundColor ?? undefined,
    labelColor: own.labelColor ?? labelColor ?? undefined,
    footerBackgroundColor: own.footerBackgroundColor ?? footerBackgroundColor ?? undefined,
  };
}

const templateImages = new WeakMap<StoredDefinition['images'], Card['images']>();

/** Returns one object per definition, because wallets cache by it. */
function imagesOf({ images }: StoredDefinition): Card['images'] {
  const known = templateImages.get(images);
  if (known) return known;
  const { perPassImages: _, ...roles } = images;
  templateImages.set(images, roles);
  return roles;
}

/** Returns the template's images, replaced by the pass's own where the template currently allows it. */
export function cardImages(
  definition: StoredDefinition,
  { appearance }: Pass,
): Pick<Card, 'images' | 'localizedBackgrounds'> {
  const { perPassImages } = definition.images;
  let images = imagesOf(definition);
  for (const role of PASS_IMAGE_ROLES) {
    const own = appearance.images?.[role];
    if (perPassImages[role] && own) images = { ...images, [role]: own };
  }
  const localized = hasLocalizedBackgrounds(definition) ? appearance.localizedBackgrounds : undefined;
  return { images, localizedBackgrounds: localized ?? {} };
}

const KINDS: Record<string, Kind> = Object.fromEntries(
  APPLE_MEMBER_NAMES.map((name) => [name, APPLE_MEMBERS[name].kind]),
);

/** Returns the Apple Wallet features of a card; undefined if the definition has none. */
export function cardApple(
  definition: StoredDefinition,
  filling: AppleFilling,
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
function upcomingMembers(event: UpcomingEvent, definition: StoredDefinition, filling: AppleFilling) {
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

/** Values for the texts of a card, and their shared limit. */
export type Filling = PlaceholderSource & { room: TextRoom };

/**
 * Returns translations with placeholders filled; without placeholders, one object for all passes of a definition.
 * Invalid language codes, which old definitions may contain, are left out.
 */
export function cardTranslations(definition: StoredDefinition, source: Filling): Record<string, CardTexts> {
  if (!definition.translationsEnabled) return NO_TRANSLATIONS;
  const { texts: constant, chars } = constantTranslations(definition);
  if (constant && chars <= source.room.left) {
    source.room.left -= chars;
    return constant;
  }
  const fill = (text: string) => fillPlaceholders(text, source);
  return Object.fromEntries(
    Object.entries(definition.translations)
      .filter(([language]) => isLanguageCode(language))
      .map(([language, texts]) => [
        language,
        Object.fromEntries(Object.entries(texts).map(([text, translated]) => [fill(text), fill(translated)])),
      ]),
  );
}

const NO_TRANSLATIONS: Record<string, CardTexts> = Object.freeze({});

/** Translations that are the same on all passes, and their number of characters. */
interface ConstantTranslations {
  texts?: Record<string, CardTexts>;
  chars: number;
}
const constants = new WeakMap<StoredDefinition, ConstantTranslations>();

/** Returns no texts if one has a placeholder. One object per definition, because wallets cache by it. */
function constantTranslations(definition: StoredDefinition): ConstantTranslations {
  const known = constants.get(definition);
  if (known) return known;
  const texts = Object.fromEntries(
    Object.entries(definition.translations).filter(([language]) => isLanguageCode(language)),
  );
  const all = Object.values(texts).flatMap((one) => Object.entries(one).flat());
  const chars = all.reduce((sum, text) => sum + text.length, 0);
  const found = all.some((text) => text.includes('{')) ? { chars } : { texts, chars };
  constants.set(definition, found);
  return found;
}
