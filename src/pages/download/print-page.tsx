import type { Card, CardField } from '../../domain/passes/card/card.ts';
import { CARD_WORDS } from '../card/card-words.ts';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { type Reading, readingOf, translated } from '../card/field-text.ts';
import { shownFields, shownLinks } from '../card/linkify.tsx';
import { textDirection, wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import { PAGE_WORDS } from './words.ts';

interface PrintPageProps {
  card: Card;
  language: string;
  state: CardState;
  /** As in `DrawOptions`. */
  barcodeUrl?: string | null;
  /** The download page, whose address is also printed. */
  pageUrl: string;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
}

/** The pass on one sheet of A4 or letter paper: with a large code, in black on white. */
export function PrintPage(props: PrintPageProps) {
  const { card, language, state } = props;
  const words = wordsIn(PAGE_WORDS, language);
  const cardWords = wordsIn(CARD_WORDS, language);
  const reading = readingOf(card, language, props.now);
  const title = translated(card.description, reading);
  const { headerFields, primaryFields, secondaryFields, auxiliaryFields, backFields } = card.fields;
  return (
    <Layout language={words.lang} title={`${title} · ${card.organizationName}`} stylesheet="download/styles.css">
      <nav class="print-hint">
        <a href={props.pageUrl}>{words.backToPass}</a>
        <p>{words.printHint}</p>
      </nav>
      <main class="sheet" lang={reading.textLanguage} dir={textDirection(reading.textLanguage)}>
        <header class="sheet-head">
          {card.images.icon && <img src={props.imageUrl(card.images.icon, 'icon')} alt="" />}
          <p>{card.organizationName}</p>
          <h1>{title}</h1>
          {state !== 'ok' && (
            <strong class="sheet-state" lang={words.lang}>
              {cardWords[state]}
            </strong>
          )}
        </header>
        <div class="sheet-body">
          <div>
            <SheetFields fields={primaryFields} reading={reading} kind="primary" />
            <SheetFields
              fields={[...headerFields, ...secondaryFields, ...auxiliaryFields]}
              reading={reading}
              kind="grid"
            />
          </div>
          {card.barcode && props.barcodeUrl === null && (
            <figure class="sheet-barcode as-text">
              <figcaption>
                <bdi>{card.barcode.value}</bdi>
              </figcaption>
            </figure>
          )}
          {card.barcode?.rotating && !props.barcodeUrl && <p lang={words.lang}>{words.noPrintedCode}</p>}
          {card.barcode && props.barcodeUrl && (
            <figure class={`sheet-barcode ${card.barcode.format} ${state === 'ok' ? '' : 'invalid'}`}>
              <img src={props.barcodeUrl} alt={cardWords.barcode} />
              <figcaption>
                <bdi>{translated(card.barcode.alternativeText, reading)}</bdi>
              </figcaption>
            </figure>
          )}
        </div>
        <SheetFields fields={backFields} reading={reading} kind="back" />
        <SheetLinks card={card} reading={reading} />
        <footer class="sheet-foot">{props.pageUrl}</footer>
      </main>
    </Layout>
  );
}

function SheetFields({ fields, reading, kind }: { fields: CardField[]; reading: Reading; kind: string }) {
  const shown = shownFields(fields, reading);
  if (shown.length === 0) return null;
  return (
    <dl class={`sheet-${kind}`}>
      {shown.map(({ label, text }) => (
        <div>
          <dt>
            <bdi>{label}</bdi>
          </dt>
          <dd>
            <bdi>{text}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Links with their addresses, because paper can't be clicked. */
function SheetLinks({ card, reading }: { card: Card; reading: Reading }) {
  const links = shownLinks(card, reading);
  if (links.length === 0) return null;
  return (
    <ul class="sheet-links">
      {links.map(({ label, href, address }) => (
        <li>
          {label && label !== address && <bdi>{label}: </bdi>}
          <a href={href}>{address}</a>
        </li>
      ))}
    </ul>
  );
}
