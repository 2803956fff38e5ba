import type { Child } from 'hono/jsx';
import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { textDirection, wordsIn } from '../language.ts';
import { cardClass } from './card-colors.ts';
import { CardFront } from './card-front.tsx';
import { CARD_WORDS } from './card-words.ts';
import { type CardDrawing, cardState, type DrawOptions } from './drawing.ts';
import { readingOf, translated } from './field-text.ts';
import { googleDetails } from './google-fields.ts';
import { GoogleFront } from './google-front.tsx';
import { Linkified, OutsideLink, shownFields, shownLinks } from './linkify.tsx';

/**
 * Draws the pass in HTML as a wallet shows it. The page needs `card.css`, and the card's colors from `cardColorsCss` in
 * a `<style>`. A card with an empty back can't be turned.
 */
export function drawCard(card: Card, options: DrawOptions) {
  const { language } = options;
  const back = options.look === 'google' && card.google ? googleDetails(card) : undefined;
  const hasBack = (back?.fields ?? card.fields.backFields).length > 0 || (back?.links ?? card.links).length > 0;
  const face = options.face === 'both' && !hasBack ? 'front' : options.face;
  return drawFaces(
    card,
    { ...options, face },
    options.look === 'google' ? [GoogleFront, GoogleBack] : [CardFront, CardBack],
    face === 'both' && <TurnButtons card={card} language={language} />,
  );
}

/** One side of a card. */
export type Face = (props: { drawing: CardDrawing }) => Child;

/** Draws a card with the given front and back; `more` is shown below. */
export function drawFaces(card: Card, options: DrawOptions, [Front, Back]: [Face, Face], more?: Child) {
  const drawing = drawingOf(card, options);
  const { face } = options;
  const { reading } = drawing;
  return (
    <article
      class={`card ${cardClass(card)} ${face === 'both' ? 'turns' : ''}`}
      lang={reading.textLanguage}
      dir={textDirection(reading.textLanguage)}
      aria-label={translated(card.description, reading)}
    >
      <div class="card-faces">
        {face !== 'back' && <Front drawing={drawing} />}
        {face !== 'front' && <Back drawing={drawing} />}
      </div>
      {more}
    </article>
  );
}

/** Returns a card with everything that its parts need for drawing. */
export function drawingOf(card: Card, { now = Date.now(), ...options }: DrawOptions): CardDrawing {
  const { language, imageUrl, barcodeUrl, extras = NO_EXTRAS } = options;
  const reading = readingOf(card, language, now);
  return { card, language, reading, state: cardState(card, now), imageUrl, barcodeUrl, extras };
}

const NO_EXTRAS = { tags: {}, keys: {} };

/** Two radio buttons: the arrow keys turn the card, and screen readers announce which side it shows. */
export function TurnButtons({ card, language }: { card: Card; language: string }) {
  const words = wordsIn(CARD_WORDS, language);
  const name = `side-${cardClass(card)}`;
  return (
    <fieldset class="card-turn" lang={words.lang} dir={textDirection(words.lang)}>
      <legend>{words.sides}</legend>
      <label>
        <input type="radio" name={name} value="front" checked />
        <span>{words.front}</span>
      </label>
      <label>
        <input class="show-back" type="radio" name={name} value="back" />
        <span>{words.back}</span>
      </label>
    </fieldset>
  );
}

/** The details that Google Wallet shows for a pass: all texts without a place on the front, then the links. */
function GoogleBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  const head = translated(card.logoText || card.organizationName, reading);
  const { fields, links } = googleDetails(card);
  return <Back drawing={{ ...drawing, card: { ...card, links } }} head={head} fields={fields} />;
}

/** The back of a pass: the list of back fields and links. */
export function CardBack({ drawing }: { drawing: CardDrawing }) {
  const { card, reading } = drawing;
  return <Back drawing={drawing} head={translated(card.description, reading)} fields={card.fields.backFields} />;
}

/** The back of a pass: its heading `head`, the fields that have a text, and the links. */
export function Back({ drawing, head, fields }: { drawing: CardDrawing; head: string; fields: CardField[] }) {
  const shown = shownFields(fields, drawing.reading);
  return (
    <div class="card-back">
      <p class="card-back-head">{head}</p>
      {shown.length > 0 && (
        <dl>
          {shown.map(({ label, text }) => (
            <div class="card-back-field">
              <dt>
                <bdi>{label}</bdi>
              </dt>
              <dd>
                <bdi>
                  <Linkified text={text} />
                </bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <BackLinks drawing={drawing} />
    </div>
  );
}

/** The links of the pass, without those that a page must not link to. */
function BackLinks({ drawing }: { drawing: CardDrawing }) {
  const links = shownLinks(drawing.card, drawing.reading);
  if (links.length === 0) return null;
  return (
    <ul class="card-links" aria-label={wordsIn(CARD_WORDS, drawing.language).links}>
      {links.map(({ href, label, address }) => (
        <li>
          <OutsideLink href={href}>{label || address}</OutsideLink>
        </li>
      ))}
    </ul>
  );
}
