import type { Context } from 'hono';
import type { HtmlEscapedString } from 'hono/utils/html';
import { negotiateLanguage } from '../language.ts';
import { pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { PAGE_WORDS } from './words.ts';

export type PageStatus = 200 | 403 | 404 | 413 | 429 | 500 | 503;

/** Returns a page. `nonce` is that of the page's styles. `hasScript`: the page contains `RotatingScript`. */
export function htmlReply(
  c: Context<PageEnv>,
  nonce: string,
  content: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: PageStatus = 200,
  { hasScript = false } = {},
) {
  const headers = pageHeaders(nonce);
  if (hasScript) headers['Content-Security-Policy'] += "; script-src 'self'";
  return c.html(content, status, { ...headers, Vary: 'Accept-Language, User-Agent' });
}

/**
 * Returns the language that the browser prefers among those of the cards and of our texts; undefined if none matches.
 */
export function askedLanguage(c: Context<PageEnv>, cardLanguages: string[] = []): string | undefined {
  return negotiateLanguage(c.req.header('Accept-Language'), [...cardLanguages, ...Object.keys(PAGE_WORDS)]);
}
