import type { Card } from '../../../domain/passes/card/card.ts';
import { posterFields } from '../../../wallets/apple/fields.ts';
import { CardFront } from '../card-front.tsx';
import { Back, CardBack, drawCard, drawFaces, drawingOf, type Face, TurnButtons } from '../draw-card.tsx';
import type { CardDrawing, DrawOptions, WalletLook } from '../drawing.ts';
import { translated } from '../field-text.ts';
import { BelowPass } from './around.tsx';
import { FlightFront } from './flight-front.tsx';
import { PosterEventFront, PosterGenericFront } from './poster-front.tsx';

/**
 * Draws one side of the pass in any layout, with what the wallet shows below it. The page needs `new-looks.css` besides
 * `card.css`.
 */
export function drawLook(card: Card, options: DrawOptions & { look: WalletLook; face: 'front' | 'back' }) {
  const { look, face } = options;
  const faces = FACES[look];
  return (
    <>
      {faces ? drawFaces(card, options, faces) : drawCard(card, options)}
      {face === 'front' && <BelowPass drawing={drawingOf(card, options)} look={look} />}
    </>
  );
}

/**
 * Draws the pass in any layout of Apple Wallet, with two buttons that turn it. The page needs `new-looks.css` besides
 * `card.css`.
 */
export function drawTurning(card: Card, options: Omit<DrawOptions, 'face'> & { look: WalletLook }) {
  const { look, language } = options;
  return drawFaces(
    card,
    { ...options, face: 'both' },
    FACES[look] ?? CLASSIC,
    <TurnButtons card={card} language={language} />,
  );
}

const CLASSIC: [Face, Face] = [CardFront, CardBack];

const FACES: Partial<Record<WalletLook, [Face, Face]>> = {
  posterEventTicket: [PosterEventFront, CardBack],
  posterGeneric: [PosterGenericFront, PosterBack],
  semanticBoardingPass: [FlightFront, CardBack],
};

/** The back of a poster. On iOS 27 it can have back fields of its own. */
function PosterBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  return (
    <Back drawing={drawing} head={translated(card.description, reading)} fields={posterFields(card, 'backFields')} />
  );
}
