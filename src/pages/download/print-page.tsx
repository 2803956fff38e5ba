import type { Card, CardField } from '../../domain/passes/card.ts';
import { CARD_WORDS } from '../card/card-words.ts';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { fieldText, type Reading, readingOf, translated } from '../card/field-text.ts';
import { textDirection, wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import { DOWNLOAD_STYLESHEET } from './stylesheets.ts';
import { PAGE_WORDS } from './words.ts';

export interface PrintPageProps {
  card: Card;
  language: string;
  state: CardState;
  barcodeUrl?: string;
  /** The download page; its address also stands on the paper. */
  pageUrl: string;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
}

/** The pass on one sheet of paper, A4 or letter: the code large, everything in black on white. */
export function PrintPage(props: PrintPageProps) {
  const { card, language, state } = props;
  const words = wordsIn(PAGE_WORDS, language);
  const cardWords = wordsIn(CARD_WORDS, language);
  const reading = readingOf(card, language, props.now);
  const title = translated(card.description, reading);
  const { headerFields, primaryFields, secondaryFields, auxiliaryFields, backFields } = card.fields;
  return (
    <Layout language={words.lang} title={`${title} · ${card.organizationName}`} stylesheet={DOWNLOAD_STYLESHEET}>
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
          {card.barcode && props.barcodeUrl && (
            <figure class={`sheet-barcode ${card.barcode.format} ${state === 'ok' ? '' : 'invalid'}`}>
              <img src={props.barcodeUrl} alt={cardWords.barcode} />
              <figcaption>{translated(card.barcode.alternativeText, reading)}</figcaption>
            </figure>
          )}
        </div>
        <SheetFields fields={backFields} reading={reading} kind="back" />
        <footer class="sheet-foot">{props.pageUrl}</footer>
      </main>
    </Layout>
  );
}

function SheetFields({ fields, reading, kind }: { fields: CardField[]; reading: Reading; kind: string }) {
  if (fields.length === 0) return null;
  return (
    <dl class={`sheet-${kind}`}>
      {fields.map((field) => (
        <div>
          <dt>{translated(field.label, reading)}</dt>
          <dd>{fieldText(field, reading)}</dd>
        </div>
      ))}
    </dl>
  );
}
