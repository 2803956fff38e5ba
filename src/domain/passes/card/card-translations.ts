import { isLanguageCode } from '../../fields.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { CardTexts } from './card.ts';
import { fillPlaceholders, type PlaceholderSource, type TextRoom } from './placeholders.ts';

/** What fills the texts of a card, and the room that they share. */
export type Filling = PlaceholderSource & { room: TextRoom };

/** Translations with their placeholders filled; those without any are one object for all passes of a definition. */
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

/** Translations that are the same on all passes, and the characters that they take of a card. */
interface ConstantTranslations {
  texts?: Record<string, CardTexts>;
  chars: number;
}
const constants = new WeakMap<StoredDefinition, ConstantTranslations>();

/** Without texts when one has a placeholder. One object for each definition: wallets keep what they make of it. */
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
