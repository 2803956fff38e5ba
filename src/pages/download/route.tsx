import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { DomainError, notFound } from '../../domain/errors.ts';
import { isLanguageCode } from '../../domain/fields.ts';
import {
  findBundlePage,
  findPage,
  findPageOfUser,
  findPublicPassById,
  type PublicBundle,
  type PublicPass,
} from '../../domain/passes/find-page.ts';
import { constantTimeEqual } from '../../platform/crypto.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { passFileReply } from '../../wallets/apple/pass-file-reply.ts';
import { stylesheetReply } from '../assets.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { barrierOf } from './barrier.ts';
import { askedLanguage, htmlReply, type PageStatus } from './html-reply.ts';
import { limitPages } from './limit-pages.tsx';
import { type Message, MessagePage } from './message-page.tsx';
import { barcodeReply, imageReply } from './pictures.ts';
import { bundleFile, showBundle } from './show-bundle.tsx';
import { answerForm, showPass } from './show-pass.tsx';
import { DOWNLOAD_STYLESHEET } from './stylesheets.ts';

/** A PIN fits in there many times. */
const FORM_BYTES_MAX = 16 * 1024;

const formLimit = bodyLimit({ maxSize: FORM_BYTES_MAX, onError: () => tooLarge() });

/**
 * Pages and pictures behind the link of a pass or a bundle (decisions §7). A GET changes nothing here: mail scanners follow links too. What stands behind a PIN is the page, the
 * pictures of its code and the links on it; the links below `/passes` are for callers of the API (decisions §8).
 */
export const downloadRoutes = new Hono<PageEnv>()
  .use('/p/*', limitPages)
  .use('/:lang/p/*', limitPages)
  .use('/passes/*', limitPages)
  .get('/p/:name', async (c) => show(c, await findByName(c)))
  .get('/:lang/p/:name', async (c) => show(c, await findByName(c), languageOf(c)))
  .post('/p/:name', formLimit, async (c) => answerForm(c, passOnly(await findByName(c))))
  .post('/:lang/p/:name', formLimit, async (c) => answerForm(c, passOnly(await findByName(c)), languageOf(c)))
  .get('/p/:name/barcode.svg', async (c) => barcodeReply(c, await openPass(c), 'svg'))
  .get('/p/:name/barcode.png', async (c) => barcodeReply(c, await openPass(c), 'png'))
  .get('/p/:name/pass.pkpass', async (c) => {
    const shown = passOnly(await findByName(c));
    // Its page asks for the PIN, or says why there is no file.
    if (barrierOf(c, shown)) return c.redirect(`/p/${encodeURIComponent(c.req.param('name'))}`, 303);
    return passFileReply(shown, c.req.raw);
  })
  .get('/p/:name/passes.pkpasses', async (c) => {
    const found = await findByName(c);
    if (!('passes' in found)) throw notFound();
    return bundleFile(c, found);
  })
  .get('/p/:account/:userProvidedId', async (c) => show(c, await findByUser(c)))
  .get('/:lang/p/:account/:userProvidedId', async (c) => show(c, await findByUser(c), languageOf(c)))
  .post('/p/:account/:userProvidedId', formLimit, async (c) => answerForm(c, await findByUser(c)))
  .post('/:lang/p/:account/:userProvidedId', formLimit, async (c) => answerForm(c, await findByUser(c), languageOf(c)))
  .get('/passes/:id/:file{[A-Za-z0-9_-]+\\.(?:png|svg)}', async (c) => {
    c.set('route', routePath(c));
    const { id, file } = c.req.param();
    const shown = UUID_PATTERN.test(id) ? await findPublicPassById(c.var.ctx, id) : undefined;
    const type = file.endsWith('.svg') ? 'svg' : 'png';
    if (!shown || !constantTimeEqual(`${shown.pass.fileToken}.${type}`, file)) throw notFound();
    return barcodeReply(c, shown, type);
  })
  .get('/images/:sha256', async (c) => imageReply(c, c.req.param('sha256')))
  .get(DOWNLOAD_STYLESHEET.path, () => stylesheetReply(DOWNLOAD_STYLESHEET));

downloadRoutes.onError((error, c) => {
  const [status, message] = failureOf(error);
  if (status === 500) {
    const { requestId } = c.var.ctx;
    logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  }
  return htmlReply(c, newNonce(), <MessagePage language={askedLanguage(c) ?? 'en'} message={message} />, status);
});

type PageContext = Context<PageEnv>;
type Found = PublicPass | PublicBundle;

/** A pass that is named by what is no secret has the page that its `downloadPage` names, which is that of its bundle; the secret of its own opens it alone. */
async function show(c: PageContext, found: Found, prefix?: string): Promise<Response> {
  if ('passes' in found) return showBundle(c, found, prefix);
  const { bundlePageToken, pageToken } = found.pass;
  const isAlone = bundlePageToken === null || c.req.param('name') === pageToken || c.req.query('print') !== undefined;
  const bundle = isAlone ? undefined : await findBundlePage(c.var.ctx, bundlePageToken);
  return bundle ? showBundle(c, bundle, prefix) : showPass(c, found, prefix);
}

/** The pass, or the bundle, whose page has this name. */
async function findByName(c: PageContext): Promise<Found> {
  c.set('route', routePath(c));
  const name = c.req.param('name')!;
  const found = (await findPage(c.var.ctx, name)) ?? (await findBundlePage(c.var.ctx, name));
  if (!found) throw notFound();
  return found;
}

async function findByUser(c: PageContext): Promise<PublicPass> {
  c.set('route', routePath(c));
  const found = await findPageOfUser(c.var.ctx, c.req.param('account')!, c.req.param('userProvidedId')!);
  if (!found) throw notFound();
  return found;
}

function passOnly(found: Found): PublicPass {
  if ('passes' in found) throw notFound();
  return found;
}

/** The pass of a picture; unknown while something stands between it and the visitor. */
async function openPass(c: PageContext): Promise<PublicPass> {
  const shown = passOnly(await findByName(c));
  if (barrierOf(c, shown)) throw notFound();
  return shown;
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
  return error.kind === 'not_found' ? [404, 'notFound'] : [500, 'error'];
}
