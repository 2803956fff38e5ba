import type { Card } from '../../domain/passes/card/card.ts';
import type { NewLayout } from '../../domain/templates/wallet-rules/apple-scheme-rules.ts';
import { featureKeys, hasPosterGeneric } from './features.ts';
import { missingTags, type SemanticTags, semanticTags, styleSchemes } from './semantics.ts';

/** Contents of a card's file beyond the fields of its style, by the same rules that build the file. */
export interface AppleExtras {
  /** `semantics` of pass.json. */
  tags: SemanticTags;
  /** Keys that have an effect on this card. */
  keys: Record<string, unknown>;
  layouts: AppleLayout[];
}

/** A layout that the template requests. */
export interface AppleLayout {
  name: NewLayout;
  /** Whether devices show it for this card; otherwise they show the classic style. */
  isShown: boolean;
  /** Required tags that the card doesn't have. */
  missing: string[];
}

/** Returns the extras of a card. `readAirports` returns the text of the airport table. */
export async function appleExtras(card: Card, readAirports: () => Promise<string>): Promise<AppleExtras> {
  const tags = await semanticTags(card, readAirports);
  const schemes = styleSchemes(card, tags);
  const layouts: AppleLayout[] = [];
  const { preferredStyleScheme: asked, apple } = card;
  if (asked) layouts.push({ name: asked, isShown: schemes !== undefined, missing: missingTags(card, tags) });
  if (apple?.posterGeneric) layouts.push({ name: 'posterGeneric', isShown: hasPosterGeneric(card), missing: [] });
  return { tags: tags ?? {}, keys: featureKeys(card, schemes), layouts };
}
