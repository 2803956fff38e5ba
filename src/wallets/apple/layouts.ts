import type { Card } from '../../domain/passes/card/card.ts';
import type { NewLayout } from '../../domain/templates/wallet-rules/apple-scheme-rules.ts';
import { featureKeys, hasPosterGeneric } from './features.ts';
import { missingTags, type SemanticTags, semanticTags, styleSchemes } from './semantics.ts';

/** What the file of a card says beyond the fields of its style, by the rules that make the file. */
export interface AppleExtras {
  /** `semantics` of pass.json. */
  tags: SemanticTags;
  /** The keys that have effect on this card. */
  keys: Record<string, unknown>;
  layouts: AppleLayout[];
}

/** A layout that the template asks for. */
export interface AppleLayout {
  name: NewLayout;
  /** Whether devices show it for this card; otherwise they show the classic style. */
  isShown: boolean;
  /** Tags that are required for it and that the card does not have. */
  missing: string[];
}

/** `readAirports` gives the text of the table of airports. */
export async function appleExtras(card: Card, readAirports: () => Promise<string>): Promise<AppleExtras> {
  const tags = await semanticTags(card, readAirports);
  const schemes = styleSchemes(card, tags);
  const layouts: AppleLayout[] = [];
  const { preferredStyleScheme: asked, apple } = card;
  if (asked) layouts.push({ name: asked, isShown: schemes !== undefined, missing: missingTags(card, tags) });
  if (apple?.posterGeneric) layouts.push({ name: 'posterGeneric', isShown: hasPosterGeneric(card), missing: [] });
  return { tags: tags ?? {}, keys: featureKeys(card, schemes), layouts };
}
