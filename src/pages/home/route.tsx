import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { routePath } from 'hono/route';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { stylesheetReply } from '../assets.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { HomePage } from './home-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { HOME_STYLESHEET } from './stylesheets.ts';

/** The front page, mounted at the root. */
export const homeRoutes = new Hono<PageEnv>()
  .get('/', async (c) => {
    c.set('route', routePath(c));
    const qrSvg = await barcodeSvg('qr', c.var.ctx.baseUrl);
    const headers = { ...pageHeaders(newNonce()), 'Cache-Control': 'no-cache' };
    return c.html(<HomePage qrSvg={qrSvg} />, 200, headers);
  })
  .get(HOME_STYLESHEET.path, () => stylesheetReply(HOME_STYLESHEET));

/** Mounted behind everything else: a page for people at addresses that lead nowhere. Programs, which ask for no HTML, get the JSON of the API. */
export const strayRoutes = new Hono<PageEnv>().get('*', (c, next) => {
  const asked = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  });
  if (asked !== 'text/html') return next();
  c.set('route', '*');
  return c.html(<NotFoundPage />, 404, pageHeaders(newNonce()));
});
