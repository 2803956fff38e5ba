import { type Context, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import * as z from 'zod';
import { checked } from '../../../domain/check.ts';
import { invalidField, notFound } from '../../../domain/errors.ts';
import { newNonce, pageHeaders } from '../../../pages/layout.tsx';
import type { PageEnv } from '../../../pages/page-env.ts';
import { deleteItems, getItem, listItems } from '../items.ts';
import { INBOX_KINDS, type InboxRow } from '../table.ts';
import { InboxPage } from './inbox-page.tsx';
import { INBOX_PATH, itemView } from './item-view.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;
const FORM_BYTES_MAX = 4 * 1024;

const Key = z.coerce.number().int().min(1);
const Query = z.object({
  kind: z.enum(INBOX_KINDS).optional(),
  to: z.string().optional(),
  before: Key.optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
});

type PageContext = Context<PageEnv>;

/** Routes of the dev inbox: a page for people, JSON for programs. Links use `INBOX_PATH`. */
export const inboxRoutes = new Hono<PageEnv>();

inboxRoutes.get('/', async (c) => {
  const { ctx } = c.var;
  const { limit, ...filter } = checked(Query, c.req.query());
  const page = await listItems(ctx, { ...filter, limit });
  if (wantsHtml(c)) return htmlReply(c, <InboxPage page={page} filter={filter} />);
  const { url } = c.req;
  const { origin } = new URL(url);
  const next = page.next === undefined ? null : `${origin}${INBOX_PATH}${queryWith(url, page.next)}`;
  return jsonReply(c, { items: page.rows.map((row) => itemView(row, origin)), next });
});

inboxRoutes.get('/:key{[0-9]+}', async (c) => {
  const item = await itemOf(c);
  if (!wantsHtml(c)) return jsonReply(c, itemView(item, new URL(c.req.url).origin));
  const { limit, ...filter } = checked(Query, c.req.query());
  return htmlReply(
    c,
    <InboxPage page={await listItems(c.var.ctx, { ...filter, limit })} filter={filter} item={item} />,
  );
});

inboxRoutes.get('/:key{[0-9]+}/mail', async (c) => {
  const { html } = (await itemOf(c)).details;
  if (typeof html !== 'string') throw notFound();
  // Links open in a new tab. No script runs, no form is sent, and only our own pages can frame the mail.
  return c.html(
    html.replace(/<head>|^/i, (head) => `${head}<base target="_blank">`),
    200,
    {
      'Content-Security-Policy': MAIL_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'private, no-store',
    },
  );
});

const MAIL_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: https:",
  "frame-ancestors 'self'",
].join('; ');

inboxRoutes.get('/:key{[0-9]+}/files/:at{[0-9]+}/:filename', async (c) => {
  const file = (await itemOf(c)).files[Number(c.req.param('at'))];
  const kept = file && (await c.env.FILES.get(file.key));
  if (!kept) throw notFound();
  return new Response(kept.body, {
    headers: {
      'Content-Type': file.type,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    },
  });
});

inboxRoutes.post('/delete', csrf(), bodyLimit({ maxSize: FORM_BYTES_MAX }), async (c) => {
  const { key } = await c.req.parseBody().catch((): Record<string, undefined> => ({}));
  await deleteItems(c.var.ctx, key === undefined ? undefined : checked(Key, key));
  return c.redirect(INBOX_PATH, 303);
});
// A page of another origin can't send a DELETE: the browser asks with a preflight (Fetch standard, "CORS-preflight
// request"), which this service never allows.
inboxRoutes.delete('/', async (c) => {
  await deleteItems(c.var.ctx);
  return c.body(null, 204);
});
inboxRoutes.delete('/:key{[0-9]+}', async (c) => {
  await deleteItems(c.var.ctx, keyOf(c));
  return c.body(null, 204);
});

const itemOf = (c: PageContext): Promise<InboxRow> => getItem(c.var.ctx, keyOf(c));

function keyOf(c: PageContext): number {
  const key = Number(c.req.param('key'));
  if (!Number.isSafeInteger(key)) throw invalidField('key', 'is not one of an item');
  return key;
}

/** Returns whether the client asks for HTML, as browsers do. Others get JSON. */
function wantsHtml(c: PageContext): boolean {
  return (
    accepts(c, { header: 'Accept', supports: ['application/json', 'text/html'], default: 'application/json' }) ===
    'text/html'
  );
}

function queryWith(url: string, before: number): string {
  const query = new URL(url).searchParams;
  query.set('before', String(before));
  return `?${query}`;
}

function jsonReply(c: PageContext, body: object): Response {
  return c.json(body, 200, { Vary: 'Accept', 'Cache-Control': 'private, no-store' });
}

function htmlReply(c: PageContext, content: ReturnType<typeof InboxPage>) {
  const headers = pageHeaders(newNonce());
  const policy = `${headers['Content-Security-Policy']}; frame-src 'self'`;
  // With `no-referrer`, browsers would send `Origin: null` with the page's own forms (Fetch standard, "append a request
  // `Origin` header").
  const own = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'same-origin', Vary: 'Accept' };
  return c.html(content, 200, { ...headers, ...own });
}
