import type { Card } from '../../domain/passes/card/card.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { passHandle } from '../../domain/passes/page/links.ts';

/**
 * Returns the card for a page. Its styles refer to it by a handle, because the identifier of a pass opens the pass's
 * page.
 */
export function drawnCard({ card }: PublicPass): Card {
  return { ...card, id: passHandle(card) };
}
