import { clientFile } from '../../platform/client-files.ts';

/** A screenshot that `npm run pictures` takes of a page. */
interface Picture {
  /** File name in `client/`, without the extension. */
  name: string;
  title: string;
  text: string;
  alt: string;
  /** Pixels. */
  width: number;
  height: number;
  /** Whether there is a picture in dark mode too. */
  hasDark: boolean;
}

const PICTURES: Picture[] = [
  {
    name: 'designer',
    title: 'Design with a live preview',
    text: 'The designer draws the pass as you type: classic and poster in Apple Wallet, and Google Wallet.',
    alt: 'The designer with the settings of a season ticket, and its poster on a phone beside them',
    width: 1_180,
    height: 920,
    hasDark: true,
  },
  {
    name: 'download-page',
    title: 'One link for every phone',
    text: 'The download page offers the right wallet in six languages.',
    alt: 'A boarding pass on its download page on a phone, with the button Add to Apple Wallet',
    width: 585,
    height: 1_266,
    hasDark: true,
  },
  {
    name: 'scanner',
    title: 'Scan at the door',
    text: 'The scanner app opens from a link, and keeps working offline.',
    alt: 'The scanner app on a phone, which has just accepted a concert ticket',
    width: 585,
    height: 1_266,
    hasDark: false,
  },
  {
    name: 'wallets',
    title: 'At home in both wallets',
    text: 'The same pass in Apple Wallet and Google Wallet, each in the layout of that wallet.',
    alt: 'A boarding pass as Apple Wallet shows it, and the same pass in Google Wallet',
    width: 912,
    height: 915,
    hasDark: false,
  },
  {
    name: 'overview',
    title: 'See what happens',
    text: 'The console shows passes, scans and deliveries, with members, roles and an audit log.',
    alt: 'The overview of an account in the console: counts of passes, scans and recent events',
    width: 1_280,
    height: 860,
    hasDark: true,
  },
];

/** Link preview of the front page for other sites. */
export const OVERVIEW = {
  file: 'home/link-preview.png',
  alt: 'The headline of the front page, beside a season ticket with a QR code',
  width: 1_200,
  height: 630,
};

/** Pictures of the service's pages, loaded lazily. */
export function Gallery() {
  return (
    <section class="gallery" aria-labelledby="gallery-title">
      <header class="section-head">
        <h2 id="gallery-title">From the designer to the door</h2>
      </header>
      <ul>
        {PICTURES.map((picture) => (
          <li class={picture.name}>
            <h3>{picture.title}</h3>
            <p>{picture.text}</p>
            <Shot picture={picture} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shot({ picture: { name, alt, width, height, hasDark } }: { picture: Picture }) {
  const fileOf = (scheme: string) => clientFile(`home/${name}${scheme}.webp`).path;
  return (
    <picture>
      {hasDark && <source srcset={fileOf('-dark')} media="(prefers-color-scheme: dark)" />}
      <img src={fileOf('')} alt={alt} width={width} height={height} loading="lazy" />
    </picture>
  );
}
