import type { Card } from '../../domain/passes/card.ts';
import type { PublicPass } from '../../domain/passes/find-page.ts';
import { passHandle } from '../../domain/passes/open-address.ts';

/** The card of a page. Its styles name it by a handle, because the identifier of a pass opens a page of its own. */
export function drawnCard({ card }: PublicPass): Card {
  return { ...card, id: passHandle(card) };
}
