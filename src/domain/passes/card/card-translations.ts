import { isLanguageCode } from '../../fields.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { CardTexts } from './card.ts';
import { fillPlaceholders, type PlaceholderSource, type TextRoom } from './placeholders.ts';

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
