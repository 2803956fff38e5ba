import { drawCard } from '../../card/draw-card.tsx';
import type { DrawnThumbnail } from './draw-thumbnail.ts';
import { imageUrl } from './picture.ts';

/** The upper part of a pass, as visible in a stack of passes. The adjacent text describes it. */
export function Thumbnail({ drawn: { card, barcodeUrl, now } }: { drawn: DrawnThumbnail }) {
  return (
    <div class="thumbnail" aria-hidden="true" inert>
      {drawCard(card, { face: 'front', language: card.language, imageUrl, barcodeUrl, now })}
    </div>
  );
}
