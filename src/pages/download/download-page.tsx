import type { Child } from 'hono/jsx';
import type { Card } from '../../domain/passes/card.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawCard } from '../card/draw-card.tsx';
import type { CardState, DrawOptions } from '../card/drawing.ts';
import { readingOf, translated } from '../card/field-text.ts';
import { Icon } from '../card/glyphs.tsx';
import { languageName, textDirection, wordsIn } from '../language.ts';
import { Layout } from '../layout.tsx';
import { StateNotice } from './notice.tsx';
import type { Platform } from './platform.ts';
import { DOWNLOAD_STYLESHEET } from './stylesheets.ts';
import { PAGE_WORDS, type PageWords } from './words.ts';

export interface DownloadPageProps {
  card: Card;
  /** Language of the page. */
  language: string;
  /** Languages that the card's texts exist in, each with this page's address in it. */
  languages: { code: string; url: string }[];
  platform: Platform;
  state: CardState;
  /** The signed pass file; absent when the template is not offered for Apple Wallet. */
  passFileUrl?: string;
  /** The save link; absent when the template is not offered for Google Wallet, or no issuer is set up. */
  walletSaveUrl?: string;
  /** Absent when there is no value to encode yet. */
  barcodeUrl?: string;
  /** SVG of a QR code with the page's own address, for a desktop. */
  pageQrSvg?: string;
  /** Whether the pass file is signed with the development certificate. */
  development: boolean;
  /** Absent when the template hides the print version. */
  printUrl?: string;
  imageUrl: DrawOptions['imageUrl'];
  /** UTC milliseconds. */
  now: number;
  /** Of this reply's Content-Security-Policy. */
  nonce: string;
  /** Stands where a visitor looks first: a question to answer, or why something is missing. */
  notice?: Child;
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
      stylesheet={DOWNLOAD_STYLESHEET}
      icon={icon && props.imageUrl(icon, 'icon')}
      styles={{ nonce, css: cardColorsCss(card) }}
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
          {props.notice}
        </div>
        <WalletButtons {...props} words={words} />
        {props.pageQrSvg && state === 'ok' && <ScanPanel svg={props.pageQrSvg} words={words} />}
        <Footer {...props} words={words} />
      </main>
    </Layout>
  );
}

type PartProps = DownloadPageProps & { words: PageWords };

interface WalletLink {
  wallet: 'apple' | 'google';
  url: string;
}

/** The device's own wallet first; a phone gets the other one as a quiet link below. */
function walletLinks({ platform, passFileUrl, walletSaveUrl }: DownloadPageProps): WalletLink[] {
  const apple: WalletLink[] = passFileUrl ? [{ wallet: 'apple', url: passFileUrl }] : [];
  const google: WalletLink[] = walletSaveUrl ? [{ wallet: 'google', url: walletSaveUrl }] : [];
  return platform === 'android' ? [...google, ...apple] : [...apple, ...google];
}

function buttonLinks(props: DownloadPageProps): WalletLink[] {
  const links = walletLinks(props);
  return props.platform === 'desktop' ? links : links.slice(0, 1);
}

/** A pass that is no longer good can still be added, so that its state shows there, but nothing invites to it. */
function WalletButtons(props: PartProps) {
  const { words, state } = props;
  const links = buttonLinks(props);
  if (links.length === 0) return null;
  return (
    <div class={`wallet-buttons ${state === 'ok' ? '' : 'quiet'}`}>
      {links.map(({ wallet, url }) => (
        <a class={`wallet-button ${wallet}`} href={url}>
          <Icon name={wallet === 'apple' ? 'cards' : 'wallet'} />
          <span>{wallet === 'apple' ? words.addToApple : words.addToGoogle}</span>
        </a>
      ))}
    </div>
  );
}

function ScanPanel({ svg, words }: { svg: string; words: PageWords }) {
  return (
    <section class="scan">
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={words.scanAlternative} />
      <div>
        <h2>{words.scanTitle}</h2>
        <p>{words.scanText}</p>
      </div>
    </section>
  );
}

function Footer(props: PartProps) {
  const { words, printUrl, languages, language } = props;
  const others = walletLinks(props).slice(buttonLinks(props).length);
  const current = readingOf(props.card, language, props.now).textLanguage;
  return (
    <footer class="download-foot">
      {(printUrl !== undefined || others.length > 0) && (
        <ul class="quiet-links">
          {others.map(({ wallet, url }) => (
            <li>
              <a href={url}>
                <Icon name="download" />
                {wallet === 'apple' ? words.alsoApple : words.alsoGoogle}
              </a>
            </li>
          ))}
          {printUrl !== undefined && (
            <li>
              <a href={printUrl}>
                <Icon name="print" />
                {words.print}
              </a>
            </li>
          )}
        </ul>
      )}
      {languages.length > 1 && (
        <nav aria-label={words.languages}>
          <ul class="languages">
            {languages.map(({ code, url }) => (
              <li>
                <a href={url} lang={code} hreflang={code} aria-current={code === current ? 'true' : undefined}>
                  {languageName(code)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </footer>
  );
}
