import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { asksForHtml } from '../asks-for-html.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { HomePage } from './home-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';

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
