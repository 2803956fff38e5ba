import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { devDemo } from '../../dev/demo.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { asksForHtml } from '../asks-for-html.ts';
import { cardColorsCss } from '../card/card-colors.ts';
import { drawTurning } from '../card/new-looks/draw-look.tsx';
import { Layout, newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { Brand, SERVICE_NAME } from './brand.tsx';
import { HomePage } from './home-page.tsx';
import { sampleExtras, sampleImageUrl, samplePass } from './sample-pass.ts';

/** Routes of the front page, mounted at the root. */
export const homeRoutes = new Hono<PageEnv>().get('/', async (c) => {
  c.set('route', routePath(c));
  const { baseUrl } = c.var.ctx;
  const now = Date.now();
  const nonce = newNonce();
  const card = samplePass(baseUrl, now);
  const [qrSvg, demo] = await Promise.all([barcodeSvg('qr', baseUrl), devDemo(c)]);
  const pass = <TurningPass card={card} qrSvg={qrSvg} now={now} />;
  const css = cardColorsCss(card, 'posterEventTicket') + (demo?.css ?? '');
  const headers = { ...pageHeaders(nonce), 'Cache-Control': 'no-cache', ...(demo && withScript(nonce)) };
  return c.html(<HomePage baseUrl={baseUrl} pass={pass} styles={{ nonce, css }} demo={demo} />, 200, headers);
});

/**
 * Headers for the demo of a local service, which has a script and sends forms. With `no-referrer`, browsers would hide
 * the forms' origin.
 */
function withScript(nonce: string): Record<string, string> {
  const policy = `${pageHeaders(nonce)['Content-Security-Policy']}; script-src 'self'; connect-src 'self'`;
  return { 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin', 'Cache-Control': 'private, no-store' };
}

/** Returns the page for people at unknown addresses; undefined for programs, which don't ask for HTML. */
export function strayReply(c: Context): Response | Promise<Response> | undefined {
  return asksForHtml(c) ? c.html(<NotFoundPage />, 404, pageHeaders(newNonce())) : undefined;
}

/** The page for people at unknown addresses. */
function NotFoundPage() {
  return (
    <Layout language="en" title={`Page not found · ${SERVICE_NAME}`} stylesheet="home/styles.css">
      <header class="top-bar">
        <Brand />
      </header>
      <main class="home">
        <div class="pitch">
          <h1>Page not found</h1>
          <p>There is no page at this address. Check the link, or open the home page.</p>
          <p class="ways-in">
            <a class="button" href="/">
              Open home page
            </a>
            <a class="button quiet" href="/docs">
              API reference
            </a>
          </p>
        </div>
      </main>
    </Layout>
  );
}

interface TurningPassProps {
  card: Card;
  /** The card's code as an SVG document. */
  qrSvg: string;
  now: number;
}

/** A pass that turns in 3D: once automatically, then by its buttons or a tap. It needs no script. */
function TurningPass({ card, qrSvg, now }: TurningPassProps) {
  return (
    <div class="turning-pass">
      {drawTurning(card, {
        look: 'posterEventTicket',
        language: 'en',
        imageUrl: sampleImageUrl,
        barcodeUrl: `data:image/svg+xml,${encodeURIComponent(qrSvg)}`,
        extras: sampleExtras(now),
        now,
      })}
    </div>
  );
}
