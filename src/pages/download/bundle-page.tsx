import type { Card } from '../../domain/passes/card/card.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawCard } from '../card/draw-card.tsx';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import type { Barrier } from './barrier.ts';
import { BARRIER_WORDS } from './barrier-words.ts';
import { BUNDLE_WORDS } from './bundle-words.ts';
import { Notice, StateNotice } from './notice.tsx';
import {
  Footer,
  type LanguageLink,
  RotatingScript,
  rotates,
  ScanPanel,
  WalletButtons,
  type WalletOffer,
} from './page-parts.tsx';
import { PAGE_WORDS } from './words.ts';

/** A pass of the bundle: its picture, or why it isn't shown. */
export type BundleItem = { pageUrl: string } & (
  | { card: Card; state: CardState; barcodeUrl?: string | null }
  | { barrier: Barrier }
);

export interface BundlePageProps extends WalletOffer {
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
