import { Layout } from '../layout.tsx';
import { Brand, SERVICE_NAME } from './brand.tsx';

const PROMISE =
  'Design a template once. Each pass is signed for Apple Wallet, ready for Google Wallet, and has its own page to open, print or add to a phone.';

/** What a caller does first, with the place in the reference that says how. */
const STEPS = [
  {
    title: 'Create a template',
    text: 'Define fields, colors, images, the barcode, and the data of each pass.',
    call: 'POST /api/v2/pass-template',
    href: '/docs#createTemplate',
  },
  {
    title: 'Issue passes',
    text: 'Send the values of one holder. The reply holds the links for both wallets.',
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

/** The front page: what this service is, and the ways in. `qrSvg` is a QR code with the address of the page. */
export function HomePage({ qrSvg }: { qrSvg: string }) {
  return (
    <Layout language="en" title={SERVICE_NAME} description={PROMISE} stylesheet="home/styles.css">
      <header class="top-bar">
        <Brand />
        <nav aria-label="Site">
          <a href="/docs">API reference</a>
          <a class="where-wide" href="/console/sign-in">
            Sign in
          </a>
        </nav>
      </header>
      <main class="home">
        <div class="hero">
          <div class="pitch">
            <h1>Wallet passes, made from templates by one API</h1>
            <p>{PROMISE}</p>
            <p class="ways-in">
              <a class="button" href="/docs">
                View API reference
              </a>
              <a class="button quiet" href="/console/sign-in">
                Sign in to console
              </a>
            </p>
          </div>
          <Specimen qrSvg={qrSvg} />
        </div>
        <ol class="steps">
          {STEPS.map(({ title, text, call, href }) => (
            <li>
              <h2>{title}</h2>
              <p>{text}</p>
              <a href={href}>
                <code>{call}</code>
              </a>
            </li>
          ))}
        </ol>
      </main>
      <footer class="home-foot">
        <a href="/openapi.json">OpenAPI document</a>
        <a href="/health">Health</a>
      </footer>
    </Layout>
  );
}

/** A picture of a pass. Its code is a real one. */
function Specimen({ qrSvg }: { qrSvg: string }) {
  return (
    <div class="specimen" aria-hidden="true">
      <div class="pass behind" />
      <div class="pass">
        <div class="pass-head">
          <span>Aurora Rail</span>
          <span>
            <small>Coach</small>
            21
          </span>
        </div>
        <div class="pass-route">
          <span>
            <small>From</small>
            Vienna
          </span>
          <span>
            <small>To</small>
            Hamburg
          </span>
        </div>
        <div class="pass-fields">
          <span>
            <small>Passenger</small>
            Ada Lovelace
          </span>
          <span>
            <small>Departs</small>
            20:08
          </span>
        </div>
        <img src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`} alt="" width="132" height="132" />
      </div>
    </div>
  );
}
