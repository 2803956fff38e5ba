import type { Card } from '../../domain/passes/card/card.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { passHandle } from '../../domain/passes/page/open-address.ts';

/** The card of a page. Its styles name it by a handle, because the identifier of a pass opens a page of its own. */
export function drawnCard({ card }: PublicPass): Card {
  return { ...card, id: passHandle(card) };
}
