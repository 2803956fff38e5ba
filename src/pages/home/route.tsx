import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { stylesheetReply } from '../assets.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { HomePage } from './home-page.tsx';
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
