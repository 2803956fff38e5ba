import type { Child } from 'hono/jsx';
import type { Card } from '../../domain/passes/card/card.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { passHandle } from '../../domain/passes/page/links.ts';
import { clientFile } from '../../platform/client-files.ts';
import { Icon } from '../card/glyphs.tsx';
import { languageName } from '../language.ts';
import type { PageWords } from './words.ts';

/** The wallet links of a page with one or several passes. */
export interface WalletOffer {
  platform: Platform;
  /** Address of the signed file; absent if the page has nothing for Apple Wallet. */
  passFileUrl?: string;
  /** Address of the save link; absent if the page has nothing for Google Wallet, or without an issuer. */
  walletSaveUrl?: string;
}

/** A language of the page's cards, with the page's address in that language. */
export interface LanguageLink {
  code: string;
  url: string;
}

interface WalletLink {
  wallet: 'apple' | 'google';
  url: string;
}

/** Returns the wallet links, that of the device first. */
function walletLinks({ platform, passFileUrl, walletSaveUrl }: WalletOffer): WalletLink[] {
  const apple: WalletLink[] = passFileUrl ? [{ wallet: 'apple', url: passFileUrl }] : [];
  const google: WalletLink[] = walletSaveUrl ? [{ wallet: 'google', url: walletSaveUrl }] : [];
  return platform === 'android' ? [...google, ...apple] : [...apple, ...google];
}

function buttonLinks(offer: WalletOffer): WalletLink[] {
  const links = walletLinks(offer);
  return offer.platform === 'desktop' ? links : links.slice(0, 1);
}

/** The wallet buttons. `quiet` makes them less prominent, for passes that are no longer valid. */
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

/** Returns whether a card has a rotating code, which needs a script. */
export const rotates = ({ barcode }: Pick<Card, 'barcode'>): boolean => barcode?.rotating?.key !== undefined;

/** The script that redraws rotating codes. Without it, they show the code of the page load. */
export function RotatingScript() {
  return <script type="module" src={clientFile('download/rotating-code.ts').path} />;
}

/** The page's own address as a QR code, for desktops. */
export function ScanPanel(props: { svg: string; title: string; text: string; alternative: string }) {
  return (
    <section class="scan">
      <img src={`data:image/svg+xml,${encodeURIComponent(props.svg)}`} alt={props.alternative} />
      <div>
        <h2>{props.title}</h2>
        <p>{props.text}</p>
      </div>
    </section>
  );
}

interface FooterProps extends WalletOffer {
  words: PageWords;
  /** Address that counts and shows the print version; absent if there is none. */
  printUrl?: string;
  languages: LanguageLink[];
  /** Language of the cards. */
  current: string;
}

/** Links to the other wallet, the print version and other languages. */
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

/** A message that the visitor must not miss. */
export function Notice({ title, children }: { title: string; children?: Child }) {
  return (
    <section class="notice" role="status">
      <Icon name="notice" />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  );
}

/** The notice for a pass that is no longer valid; empty for a valid one. */
export function StateNotice(props: {
  state: 'ok' | 'voided' | 'expired';
  card: Pick<Card, 'expirationAt' | 'timezone'>;
  language: string;
  words: PageWords;
}) {
  const { state, card, language, words } = props;
  if (state === 'voided') {
    return (
      <Notice title={words.voidedTitle}>
        <p>{words.voidedText}</p>
      </Notice>
    );
  }
  if (state !== 'expired' || card.expirationAt === undefined) return null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: card.timezone });
  return (
    <Notice title={words.expiredTitle}>
      <p>{words.expiredText.replace('{date}', format.format(card.expirationAt))}</p>
    </Notice>
  );
}

/** The visitor's platform. */
type Platform = 'ios' | 'android' | 'desktop';

/**
 * Guesses the platform from the `User-Agent` header. Anything but a phone counts as a desktop, with both wallets and a
 * QR code.
 */
export function platformOf(userAgent: string | undefined): Platform {
  if (/iPhone|iPad|iPod/.test(userAgent ?? '')) return 'ios';
  return /Android/.test(userAgent ?? '') ? 'android' : 'desktop';
}

/**
 * Returns the card for a page. Its styles refer to it by a handle, because the identifier of a pass opens the pass's
 * page.
 */
export const drawnCard = ({ card }: PublicPass): Card => ({ ...card, id: passHandle(card) });
