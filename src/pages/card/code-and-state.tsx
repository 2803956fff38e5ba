import type { CardBarcode } from '../../domain/passes/card/card.ts';
import { wordsIn } from '../language.ts';
import { CARD_WORDS } from './card-words.ts';
import type { CardDrawing } from './drawing.ts';
import { translated } from './field-text.ts';

/**
 * Returns the data that the page's script needs to draw a rotating code; undefined for other codes and without the key.
 */
function rotatingData({ format, value, rotating }: CardBarcode, now: number): string | undefined {
  if (!rotating?.key) return undefined;
  const { key, periodSeconds, digits } = rotating;
  return JSON.stringify({ format, value, key, periodSeconds, digits, now });
}

/** The code of a pass, and the state of a pass that is no longer valid. */
export function CodeAndState({ drawing }: { drawing: CardDrawing }) {
  const { card, state, barcodeUrl, language, reading } = drawing;
  const words = wordsIn(CARD_WORDS, language);
  return (
    <>
      {card.barcode && barcodeUrl && (
        <figure class={`card-barcode ${card.barcode.format}`} data-rotating={rotatingData(card.barcode, reading.now)}>
          <img src={barcodeUrl} alt={words.barcode} />
          {card.barcode.alternativeText && (
            <figcaption>
              <bdi>{translated(card.barcode.alternativeText, reading)}</bdi>
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
