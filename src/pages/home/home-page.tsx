import type { Child } from 'hono/jsx';
import { clientFile } from '../../platform/client-files.ts';
import { Layout } from '../layout.tsx';
import { Brand, SERVICE_NAME } from './brand.tsx';

const HEADLINE = 'Passes for Apple Wallet and Google Wallet, from a service you own';

/** Introduction: the product, its users, and its advantage over closed products. */
const SENTENCES = [
  'Design a template once, then issue, update, deliver and validate passes from it with one API.',
  'It is for teams that sell tickets, run loyalty programs or check in guests with their own software.',
  'Unlike a closed product, it is open source and runs in your own Cloudflare account, so holders’ data, signing keys and links stay with you.',
];

/** The first API calls, with links to the reference. */
const STEPS = [
  {
    title: 'Create a template',
    text: 'Define fields, colors, images, the barcode, and the data of each pass.',
    call: 'POST /api/v2/pass-template',
    href: '/docs#createTemplate',
  },
  {
    title: 'Issue passes',
    text: 'Send the values of one holder. The reply contains the links for both wallets.',
    call: 'POST /api/v3/pass',
    href: '/docs#createPassV3',
  },
  {
    title: 'Share the link',
    text: 'The download page detects the device and offers the right wallet.',
    call: 'GET /api/v3/pass/{id}',
    href: '/docs#readPassV3',
  },
];

interface HomePageProps {
  baseUrl: string;
  /** The pass beside the headline. */
  pass: Child;
  styles: { nonce: string; css: string };
  /** The demo of a local service. Elsewhere, instructions take its place. */
  demo?: { section: Child; stylesheet: string; script: string };
}

/** The front page: introduction, links, and pictures. */
export function HomePage({ baseUrl, pass, styles, demo }: HomePageProps) {
  return (
    <Layout
      language="en"
      title={`${SERVICE_NAME}: ${HEADLINE}`}
      description={SENTENCES.join(' ')}
      stylesheet={demo?.stylesheet ?? 'home/styles.css'}
      styles={styles}
      head={<Preview baseUrl={baseUrl} script={demo?.script} />}
    >
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top-bar">
        <Brand />
        <nav aria-label="Site">
          <a href="/docs">
            API<span class="where-wide"> reference</span>
          </a>
          <a href="/console/sign-in">Sign in</a>
        </nav>
      </header>
      <main class="home" id="content" tabindex={-1}>
        <div class="hero">
          <div class="pitch">
            <h1>{HEADLINE}</h1>
            {SENTENCES.map((sentence) => (
              <p>{sentence}</p>
            ))}
            <p class="ways-in">
              {demo ? (
                <a class="button" href="#demo">
                  Try it now
                </a>
              ) : (
                <a class="button" href="/console/sign-in">
                  Sign in to console
                </a>
              )}
              <a class="button quiet" href="/docs">
                View API reference
              </a>
            </p>
          </div>
          {pass}
        </div>
        {demo ? demo.section : <Steps />}
        <Gallery />
        {demo && <Steps />}
      </main>
      <footer class="home-foot">
        <a href="/openapi.json">OpenAPI document</a>
        <a href="/health">Health</a>
        {demo && <a href="/dev/inbox">Dev inbox</a>}
      </footer>
    </Layout>
  );
}

/** Link preview for other sites, and the script of a local service. */
function Preview({ baseUrl, script }: { baseUrl: string; script?: string }) {
  const { width, height } = OVERVIEW;
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={SERVICE_NAME} />
      <meta property="og:title" content={HEADLINE} />
      <meta property="og:description" content={SENTENCES[0]} />
      <meta property="og:url" content={`${baseUrl}/`} />
      <meta property="og:image" content={`${baseUrl}${clientFile(OVERVIEW.file).path}`} />
      <meta property="og:image:width" content={String(width)} />
      <meta property="og:image:height" content={String(height)} />
      <meta property="og:image:alt" content={OVERVIEW.alt} />
      <meta name="twitter:card" content="summary_large_image" />
      {script && <script type="module" src={clientFile(script).path} />}
    </>
  );
}

function Steps() {
  return (
    <section aria-labelledby="steps-title">
      <header class="section-head">
        <h2 id="steps-title">Three requests to the first pass</h2>
        <p>
          <a href="/console/sign-in">Sign in to the console</a> to create an API key, then send these.
        </p>
      </header>
      <ol class="steps">
        {STEPS.map(({ title, text, call, href }) => (
          <li>
            <h3>{title}</h3>
            <p>{text}</p>
            <a href={href}>
              <code>{call}</code>
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
}

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
const OVERVIEW = {
  file: 'home/link-preview.png',
  alt: 'The headline of the front page, beside a season ticket with a QR code',
  width: 1_200,
  height: 630,
};

/** Pictures of the service's pages, loaded lazily. */
function Gallery() {
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
