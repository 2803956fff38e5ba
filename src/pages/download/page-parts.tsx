import type { Card } from '../../domain/passes/card/card.ts';
import { clientFile } from '../../platform/client-files.ts';
import { Icon } from '../card/glyphs.tsx';
import { languageName } from '../language.ts';
import type { Platform } from './platform.ts';
import type { PageWords } from './words.ts';

/** The ways into the wallets, for a page with one pass or with several. */
export interface WalletOffer {
  platform: Platform;
  /** The signed file; absent when nothing on the page is offered for Apple Wallet. */
  passFileUrl?: string;
  /** The save link; absent when nothing is offered for Google Wallet, or no issuer is set up. */
  walletSaveUrl?: string;
}

/** A language that the texts of the page's cards exist in, with the page's address in it. */
export interface LanguageLink {
  code: string;
  url: string;
}

interface WalletLink {
  wallet: 'apple' | 'google';
  url: string;
}

/** The device's own wallet first; a phone gets the other one as a quiet link below. */
function walletLinks({ platform, passFileUrl, walletSaveUrl }: WalletOffer): WalletLink[] {
  const apple: WalletLink[] = passFileUrl ? [{ wallet: 'apple', url: passFileUrl }] : [];
  const google: WalletLink[] = walletSaveUrl ? [{ wallet: 'google', url: walletSaveUrl }] : [];
  return platform === 'android' ? [...google, ...apple] : [...apple, ...google];
}

function buttonLinks(offer: WalletOffer): WalletLink[] {
  const links = walletLinks(offer);
  return offer.platform === 'desktop' ? links : links.slice(0, 1);
}

/** The buttons; `quiet` where nothing should invite to them, because what they add is no longer good. */
export function WalletButtons(props: WalletOffer & { labels: Record<'apple' | 'google', string>; quiet?: boolean }) {
  const links = buttonLinks(props);
  if (links.length === 0) return null;
  return (
    <div class={`wallet-buttons ${props.quiet ? 'quiet' : ''}`}>
      {links.map(({ wallet, url }) => (
        <a class={`wallet-button ${wallet}`} href={url}>
          <Icon name={wallet === 'apple' ? 'cards' : 'wallet'} />
          <span>{props.labels[wallet]}</span>
        </a>
      ))}
    </div>
  );
}

/** Whether a page shows a code that rotates, which takes a script to draw. */
export function rotates({ barcode }: Pick<Card, 'barcode'>): boolean {
  return barcode?.rotating?.key !== undefined;
}

/** Draws the codes that rotate. Without it, they are those of the moment when the page was sent. */
export function RotatingScript() {
  return <script type="module" src={clientFile('download/rotating-code.ts').path} />;
}

/** The page's own address as a code, for a desktop. */
export function ScanPanel({ svg, text, words }: { svg: string; text: string; words: PageWords }) {
  return (
    <section class="scan">
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={words.scanAlternative} />
      <div>
        <h2>{words.scanTitle}</h2>
        <p>{text}</p>
      </div>
    </section>
  );
}

export interface FooterProps extends WalletOffer {
  words: PageWords;
  /** Where a print version is asked for and counted; absent when there is none. */
  printUrl?: string;
  languages: LanguageLink[];
  /** Language that the cards are shown in. */
  current: string;
}

/** The other wallet, the print version and the languages. */
export function Footer(props: FooterProps) {
  const { words, printUrl, languages, current } = props;
  const others = walletLinks(props).slice(buttonLinks(props).length);
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
              <form method="post" action={printUrl}>
                <button type="submit">
                  <Icon name="print" />
                  {words.print}
                </button>
              </form>
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
