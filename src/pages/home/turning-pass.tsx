import type { Card } from '../../domain/passes/card/card.ts';
import { drawTurning } from '../card/new-looks/draw-look.tsx';
import { sampleExtras, sampleImageUrl } from './sample-pass.ts';

interface TurningPassProps {
  card: Card;
  /** The card's code as an SVG document. */
  qrSvg: string;
  now: number;
}

/** A pass that turns in 3D: once automatically, then by its buttons or a tap. It needs no script. */
export function TurningPass({ card, qrSvg, now }: TurningPassProps) {
  return (
    <div class="turning-pass">
      {drawTurning(card, {
        look: 'posterEventTicket',
        language: 'en',
        imageUrl: sampleImageUrl,
        barcodeUrl: `data:image/svg+xml,${encodeURIComponent(qrSvg)}`,
        extras: sampleExtras(now),
        now,
      })}
    </div>
  );
}
