import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { DomainError, notFound } from '../../domain/errors.ts';
import { isLanguageCode } from '../../domain/fields.ts';
import { findPublicPassById } from '../../domain/passes/page/find-page.ts';
import { openTokens } from '../../domain/passes/page/link-tokens.ts';
import { callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import { constantTimeEqual } from '../../platform/crypto.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { passFileReply } from '../../wallets/apple/pass-file-reply.ts';
import { asksForHtml } from '../asks-for-html.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { barrierOf } from './barrier.ts';
import { askedLanguage, htmlReply, type PageStatus } from './html-reply.ts';
import { type Message, MessagePage } from './message-page.tsx';
import { ADDRESSES, type Found, findPass, findShown } from './named-page.ts';
import { barcodeReply, imageReply } from './pictures.ts';
import { bundleFile, bundleSaveLink, showBundle } from './show-bundle.tsx';
import { answerForm, passSaveLink, showPass } from './show-pass.tsx';

/** Far more than a PIN needs. */
const FORM_BYTES_MAX = 16 * 1024;

const formLimit = bodyLimit({ maxSize: FORM_BYTES_MAX, onError: () => tooLarge() });

/** The general limit. Guesses have an additional one. */
const limitPages: MiddlewareHandler<PageEnv> = async (c, next) => {
  await enforceRateLimit(c.env, 'page', callerNetwork(c.req.raw, c.env));
  await next();
};

const limitImages: MiddlewareHandler<PageEnv> = async (c, next) => {
  await enforceRateLimit(c.env, 'image', callerNetwork(c.req.raw, c.env));
  await next();
};

/**
 * Pages and pictures behind the link of a pass or a bundle. GET requests change nothing, because mail scanners follow
 * links too. A PIN protects the page, its links and the pictures of its code, but not the links below `/passes`, which
 * are for API callers.
 */
export const downloadRoutes = new Hono<PageEnv>()
  .use('/p/*', limitPages)
  .use('/:lang/p/*', limitPages)
  .use('/passes/*', limitPages)
  .use('/images/*', limitImages);

// What one address does not know may be the name of another one: a pass may have the userProvidedId "save".
for (const address of ADDRESSES) {
  const pages: [path: string, languageOf: (c: PageContext) => string | undefined][] = [
    [address, () => undefined],
    [`/:lang${address}`, languageOf],
  ];
  for (const [path, prefixOf] of pages) {
    downloadRoutes.get(path, async (c, next) => {
      const prefix = prefixOf(c);
      const found = await findShown(seen(c), 'page');
      return found ? show(c, found, prefix) : next();
    });
    downloadRoutes.post(path, formLimit, async (c, next) => {
      const prefix = prefixOf(c);
      const found = await findPass(seen(c), 'page');
      return found ? answerForm(c, found, prefix) : next();
    });
  }
  for (const type of ['svg', 'png'] as const) {
    downloadRoutes.get(`${address}/barcode.${type}`, async (c, next) => {
      const found = await findPass(seen(c), 'page');
      if (found && barrierOf(c, found)) throw notFound();
      return found ? barcodeReply(c, found, type) : next();
    });
  }
  downloadRoutes.get(`${address}/pass.pkpass`, async (c, next) => {
    const found = await findPass(seen(c), 'file');
    if (!found) return next();
    // Its page asks for the PIN, or says why there is no file.
    return barrierOf(c, found) ? toPage(c) : passFileReply(found, c.req.raw);
  });
  downloadRoutes.get(`${address}/passes.pkpasses`, async (c, next) => {
    const found = await findShown(seen(c), 'file');
    if (found && !('passes' in found)) throw notFound();
    return found ? ((await bundleFile(c, found)) ?? toPage(c)) : next();
  });
  downloadRoutes.get(`${address}/save`, async (c, next) => {
    const found = await findShown(seen(c), 'page');
    return found ? saveReply(c, found) : next();
  });
}

downloadRoutes
  .get('/passes/:id/:file{[A-Za-z0-9_-]+\\.(?:png|svg)}', async (c) => {
    const { id, file } = seen(c).req.param();
    const shown = UUID_PATTERN.test(id) ? await findPublicPassById(c.var.ctx, id) : undefined;
    const type = file.endsWith('.svg') ? 'svg' : 'png';
    if (!shown || !constantTimeEqual(`${openTokens(shown.ctx.env, shown.pass).file}.${type}`, file)) throw notFound();
    return barcodeReply(c, shown, type);
  })
  .get('/images/:sha256', async (c) => imageReply(c, c.req.param('sha256')))
  .on(['GET', 'POST'], ['/p/*', '/:lang/p/*'], (c) => {
    seen(c);
    throw notFound();
  });

/** Returns the page for people whose request for a file exceeded a limit; undefined for programs. */
export function tooManyReply(c: PageContext): Response | Promise<Response> | undefined {
  return asksForHtml(c) ? messageReply(c, 'tooMany', 429) : undefined;
}

function messageReply(c: PageContext, message: Message, status: PageStatus) {
  const prefix = c.req.path.split('/p/')[0]!.slice(1);
  const language = isLanguageCode(prefix) ? prefix : (askedLanguage(c) ?? 'en');
  return htmlReply(c, newNonce(), <MessagePage language={language} message={message} />, status);
}

downloadRoutes.onError((error, c) => {
  const [status, message] = failureOf(error);
  if (status === 500) {
    const { requestId } = c.var.ctx;
    logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  }
  return messageReply(c, message, status);
});

type PageContext = Context<PageEnv>;

/** Sets the matched route for the log line; see `PageEnv`. */
function seen<C extends PageContext>(c: C): C {
  c.set('route', routePath(c));
  return c;
}

function show(c: PageContext, found: Found, prefix: string | undefined): Promise<Response> {
  return 'passes' in found ? showBundle(c, found, prefix) : showPass(c, found, prefix);
}

/** Redirects the visitor from a file or link to its page. */
function toPage(c: PageContext): Response {
  return c.redirect(new URL(c.req.url).pathname.replace(/\/[^/]*$/, ''), 303);
}

/**
 * Redirects the visitor to Google Wallet. For an openly named pass, only this address creates the link, so that the
 * page doesn't contain it.
 */
async function saveReply(c: PageContext, found: Found): Promise<Response> {
  const link = await ('passes' in found ? bundleSaveLink(c, found) : passSaveLink(c, found));
  c.header('Cache-Control', 'private, no-store');
  c.header('Referrer-Policy', 'no-referrer');
  return link === null ? toPage(c) : c.redirect(link, 303);
}

function languageOf(c: PageContext): string {
  const prefix = c.req.param('lang')!;
  if (!isLanguageCode(prefix)) throw notFound();
  return prefix;
}

function tooLarge(): never {
  throw new DomainError('too_large', `A form has at most ${FORM_BYTES_MAX} bytes`);
}

function failureOf(error: unknown): [status: PageStatus, message: Message] {
  if (!(error instanceof DomainError)) return [500, 'error'];
  if (error.kind === 'too_many_requests') return [429, 'tooMany'];
  if (error.kind === 'too_large') return [413, 'error'];
  if (error.kind === 'unavailable') return [503, 'error'];
  return error.kind === 'not_found' ? [404, 'notFound'] : [500, 'error'];
}
