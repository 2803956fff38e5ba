import type { Card } from '../../domain/passes/card/card.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawCard } from '../card/draw-card.tsx';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import type { Barrier } from './barrier.ts';
import { BARRIER_WORDS } from './barrier-page.tsx';
import {
  Footer,
  type LanguageLink,
  Notice,
  RotatingScript,
  rotates,
  ScanPanel,
  StateNotice,
  WalletButtons,
  type WalletOffer,
} from './page-parts.tsx';
import { PAGE_WORDS } from './words.ts';

/** A pass of the bundle: its picture, or why it isn't shown. */
export type BundleItem = { pageUrl: string } & (
  | { card: Card; state: CardState; barcodeUrl?: string | null }
  | { barrier: Barrier }
);

interface BundlePageProps extends WalletOffer {
  items: BundleItem[];
  /** Names of the issuers. */
  organizationNames: string[];
  /** Languages of the page and of its cards. */
  language: string;
  current: string;
  languages: LanguageLink[];
  /** QR code of the page's own address as SVG, for desktops. */
  pageQrSvg?: string;
  /** Whether a pass is signed with the development certificate. */
  development: boolean;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
  /** CSP nonce of this reply. */
  nonce: string;
}

/** The page of a bundle: all its passes, and one button to add them all. */
export function BundlePage(props: BundlePageProps) {
  const { items, language, platform, nonce } = props;
  const words = wordsIn(PAGE_WORDS, language);
  const bundleWords = wordsIn(BUNDLE_WORDS, language);
  const issuers = new Intl.ListFormat(words.lang).format(props.organizationNames);
  const labels = { apple: bundleWords.addAllToApple, google: bundleWords.addAllToGoogle };
  const css = items.map((item) => ('card' in item ? cardColorsCss(item.card) : '')).join('');
  return (
    <Layout
      language={words.lang}
      title={`${bundleWords.title} · ${issuers}`}
      stylesheet="download/styles.css"
      head={items.some((item) => 'card' in item && rotates(item.card)) && <RotatingScript />}
      styles={{ nonce, css }}
    >
      {props.development && (
        <header class="banner">
          <p>{words.development}</p>
        </header>
      )}
      <main class={`download bundle ${platform}`}>
        <header class="download-head">
          <p>{issuers}</p>
          <h1>{bundleWords.title}</h1>
        </header>
        <ul class="bundle-passes">
          {items.map((item) => (
            <li>{'card' in item ? <Shown item={item} page={props} /> : <Closed item={item} language={language} />}</li>
          ))}
        </ul>
        <WalletButtons {...props} labels={labels} />
        {props.pageQrSvg && (
          <ScanPanel
            svg={props.pageQrSvg}
            title={bundleWords.scanTitle}
            text={bundleWords.scanText}
            alternative={words.scanAlternative}
          />
        )}
        <Footer {...props} words={words} />
      </main>
    </Layout>
  );
}

function Shown({ item, page }: { item: Extract<BundleItem, { card: Card }>; page: BundlePageProps }) {
  const { language, imageUrl, now } = page;
  const { card, state, barcodeUrl, pageUrl } = item;
  return (
    <>
      {drawCard(card, { language, imageUrl, now, barcodeUrl, face: 'both' })}
      <StateNotice state={state} card={card} language={language} words={wordsIn(PAGE_WORDS, language)} />
      <a class="bundle-link" href={pageUrl}>
        {wordsIn(BUNDLE_WORDS, language).openAlone}
      </a>
    </>
  );
}

/** A pass that isn't shown. Its own page asks for the PIN and explains the rest. */
function Closed({ item, language }: { item: Extract<BundleItem, { barrier: Barrier }>; language: string }) {
  const words = wordsIn(BARRIER_WORDS, language);
  const blocked = item.barrier === 'blocked';
  return (
    <Notice title={blocked ? words.blockedTitle : words.pinNeeded}>
      {blocked ? <p>{words.blockedText}</p> : <a href={item.pageUrl}>{words.pinLink}</a>}
    </Notice>
  );
}

/** Texts of a bundle's page, in one language. */
type BundleWords = Record<keyof typeof en, string>;

const en = {
  title: 'Your passes',
  addAllToApple: 'Add all to Apple Wallet',
  addAllToGoogle: 'Add all to Google Wallet',
  scanTitle: 'Add them on your phone',
  scanText:
    'Point your phone’s camera at this code. The page opens on your phone, where you can add all passes at once.',
  openAlone: 'Open this pass only',
};

const de: BundleWords = {
  title: 'Ihre Karten',
  addAllToApple: 'Alle zu Apple Wallet hinzufügen',
  addAllToGoogle: 'Alle zu Google Wallet hinzufügen',
  scanTitle: 'Auf dem Smartphone hinzufügen',
  scanText:
    'Richten Sie die Kamera Ihres Smartphones auf diesen Code. Die Seite wird dort geöffnet und Sie können alle Karten auf einmal hinzufügen.',
  openAlone: 'Nur diese Karte öffnen',
};

const fr: BundleWords = {
  title: 'Vos pass',
  addAllToApple: 'Tout ajouter à Cartes d’Apple',
  addAllToGoogle: 'Tout ajouter à Google Wallet',
  scanTitle: 'Ajouter les pass sur votre téléphone',
  scanText:
    'Pointez l’appareil photo de votre téléphone vers ce code. La page s’ouvre alors sur votre téléphone, où vous pouvez ajouter tous les pass en une fois.',
  openAlone: 'Ouvrir uniquement ce pass',
};

const es: BundleWords = {
  title: 'Sus pases',
  addAllToApple: 'Añadir todos a Cartera de Apple',
  addAllToGoogle: 'Añadir todos a Google Wallet',
  scanTitle: 'Añadir los pases en su teléfono',
  scanText:
    'Apunte a este código con la cámara de su teléfono. La página se abrirá en el teléfono y podrá añadir todos los pases a la vez.',
  openAlone: 'Abrir solo este pase',
};

const it: BundleWords = {
  title: 'I tuoi pass',
  addAllToApple: 'Aggiungi tutti ad Apple Wallet',
  addAllToGoogle: 'Aggiungi tutti a Google Wallet',
  scanTitle: 'Aggiungi i pass sul telefono',
  scanText:
    'Inquadra questo codice con la fotocamera del telefono. La pagina si apre sul telefono, dove puoi aggiungere tutti i pass insieme.',
  openAlone: 'Apri solo questo pass',
};

const nl: BundleWords = {
  title: 'Je passen',
  addAllToApple: 'Voeg alle passen toe aan Apple Wallet',
  addAllToGoogle: 'Alle passen toevoegen aan Google Wallet',
  scanTitle: 'Voeg de passen toe op je telefoon',
  scanText:
    'Richt de camera van je telefoon op deze code. De pagina opent op je telefoon, waar je alle passen in één keer kunt toevoegen.',
  openAlone: 'Alleen deze pas openen',
};

/** The same languages as `PAGE_WORDS`. */
export const BUNDLE_WORDS: Record<string, BundleWords> & { en: BundleWords } = { en, de, fr, es, it, nl };
