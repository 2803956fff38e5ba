import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { routePath } from 'hono/route';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { readContract } from './contract.ts';
import { DocsPage } from './docs-page.tsx';

/**
 * The API reference at `/docs`, mounted at the root. The document never changes while the Worker runs, so the page is
 * rendered once per base URL.
 */
export function docsRoutes(document: () => Promise<Record<string, unknown>>): Hono<PageEnv> {
  let rendered: { baseUrl: string; html: string } | undefined;
  const routes = new Hono<PageEnv>();
  routes.get('/docs', etag(), async (c) => {
    c.set('route', routePath(c));
    const { baseUrl, env } = c.var.ctx;
    if (rendered?.baseUrl !== baseUrl) {
      const contract = readContract(await document());
      const page = <DocsPage contract={contract} baseUrl={baseUrl} requestsPerMinute={env.RATE_LIMIT_PER_MINUTE} />;
      rendered = { baseUrl, html: String(await page) };
    }
    return c.html(rendered.html, 200, docsHeaders());
  });
  return routes;
}

/**
 * The reference is the same for everyone, so browsers may store and revalidate it. Its script comes from this origin.
 */
function docsHeaders(): Record<string, string> {
  const headers = pageHeaders(newNonce());
  const policy = `${headers['Content-Security-Policy']}; script-src 'self'`;
  return { ...headers, 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
}
