import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { asksForHtml } from '../asks-for-html.ts';
import { Layout, newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { Brand, SERVICE_NAME } from './brand.tsx';
import { HomePage } from './home-page.tsx';

/** The front page, mounted at the root. */
export const homeRoutes = new Hono<PageEnv>().get('/', async (c) => {
  c.set('route', routePath(c));
  const qrSvg = await barcodeSvg('qr', c.var.ctx.baseUrl);
  const headers = { ...pageHeaders(newNonce()), 'Cache-Control': 'no-cache' };
  return c.html(<HomePage qrSvg={qrSvg} />, 200, headers);
});

/** The page for people at addresses that lead nowhere; undefined for programs, which ask for no HTML. */
export function strayReply(c: Context): Response | Promise<Response> | undefined {
  return asksForHtml(c) ? c.html(<NotFoundPage />, 404, pageHeaders(newNonce())) : undefined;
}

/** What a person sees at an address that leads nowhere. */
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
