import type { Card } from '../../domain/passes/card/card.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawCard } from '../card/draw-card.tsx';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { readingOf, translated } from '../card/field-text.ts';
import { textDirection, wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import {
  Footer,
  type LanguageLink,
  RotatingScript,
  rotates,
  ScanPanel,
  StateNotice,
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
  /** QR code of the page's own address as SVG, for desktops. */
  pageQrSvg?: string;
  /** Whether the pass file is signed with the development certificate. */
  development: boolean;
  /** Address for requesting the print version by POST; absent if the template hides it. */
  printUrl?: string;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
  /** CSP nonce of this reply. */
  nonce: string;
}

/** The download page of a pass: its picture, and buttons to add it to a wallet. */
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
        {/* An invalid pass can still be added to show its state, but the page doesn't suggest it. */}
        <WalletButtons
          {...props}
          labels={{ apple: words.addToApple, google: words.addToGoogle }}
          quiet={state !== 'ok'}
        />
        {props.pageQrSvg && state === 'ok' && (
          <ScanPanel
            svg={props.pageQrSvg}
            title={words.scanTitle}
            text={words.scanText}
            alternative={words.scanAlternative}
          />
        )}
        <Footer {...props} words={words} current={reading.textLanguage} />
      </main>
    </Layout>
  );
}
