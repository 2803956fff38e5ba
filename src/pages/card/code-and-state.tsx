import { wordsIn } from '../language.ts';
import { CARD_WORDS } from './card-words.ts';
import type { CardDrawing } from './drawing.ts';
import { translated } from './field-text.ts';

/** The code of a pass and, for one that is no longer good, the word that says so. */
export function CodeAndState({ drawing }: { drawing: CardDrawing }) {
  const { card, state, barcodeUrl, language } = drawing;
  const words = wordsIn(CARD_WORDS, language);
  return (
    <>
      {card.barcode && barcodeUrl && (
        <figure class={`card-barcode ${card.barcode.format}`}>
          <img src={barcodeUrl} alt={words.barcode} />
          {card.barcode.alternativeText && (
            <figcaption>
              <bdi>{translated(card.barcode.alternativeText, drawing.reading)}</bdi>
            </figcaption>
          )}
        </figure>
      )}
      {card.barcode && barcodeUrl === null && (
        <figure class="card-barcode as-text">
          <figcaption>
            <bdi>{card.barcode.value}</bdi>
          </figcaption>
        </figure>
      )}
      {state !== 'ok' && (
        <strong class="card-state" lang={words.lang}>
          {words[state]}
        </strong>
      )}
    </>
  );
}
