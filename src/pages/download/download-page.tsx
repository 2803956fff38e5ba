import type { Card } from '../../domain/passes/card/card.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawCard } from '../card/draw-card.tsx';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { readingOf, translated } from '../card/field-text.ts';
import { textDirection, wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import { StateNotice } from './notice.tsx';
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

export interface DownloadPageProps extends WalletOffer {
  card: Card;
  /** Language of the page. */
  language: string;
  languages: LanguageLink[];
  state: CardState;
  /** As in `DrawOptions`. */
  barcodeUrl?: string | null;
  /** SVG of a QR code with the page's own address, for a desktop. */
  pageQrSvg?: string;
  /** Whether the pass file is signed with the development certificate. */
  development: boolean;
  /** Where the print version is asked for by POST; absent when the template hides it. */
  printUrl?: string;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
  /** Of this reply's Content-Security-Policy. */
  nonce: string;
}

/** The page behind a pass's link: its picture, and the way into the wallet of the device that looks at it. */
export function DownloadPage(props: DownloadPageProps) {
  const { card, language, platform, state, nonce } = props;
  const words = wordsIn(PAGE_WORDS, language);
  const reading = readingOf(card, language, props.now);
  const title = translated(card.description, reading);
  const { icon } = card.images;
  return (
    <Layout
      language={words.lang}
      title={`${title} · ${card.organizationName}`}
      description={`${card.organizationName}: ${title}`}
      stylesheet="download/styles.css"
      icon={icon && props.imageUrl(icon, 'icon')}
      styles={{ nonce, css: cardColorsCss(card) }}
      head={rotates(card) && <RotatingScript />}
    >
      {props.development && (
        <header class="banner">
          <p>{words.development}</p>
        </header>
      )}
      <main class={`download ${platform}`}>
        <header class="download-head" lang={reading.textLanguage} dir={textDirection(reading.textLanguage)}>
          <p>{card.organizationName}</p>
          <h1>{title}</h1>
        </header>
        <div class="download-card">{drawCard(card, { ...props, face: 'both' })}</div>
        <div class="download-notice">
          <StateNotice state={state} card={card} language={language} words={words} />
        </div>
        {/* A pass that is no longer valid can still be added to show its state, but the page does not suggest it. */}
        <WalletButtons
          {...props}
          labels={{ apple: words.addToApple, google: words.addToGoogle }}
          quiet={state !== 'ok'}
        />
        {props.pageQrSvg && state === 'ok' && <ScanPanel svg={props.pageQrSvg} text={words.scanText} words={words} />}
        <Footer {...props} words={words} current={reading.textLanguage} />
      </main>
    </Layout>
  );
}
