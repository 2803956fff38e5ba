import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DomainError, notFound } from '../../domain/errors.ts';
import { readImage } from '../../domain/images/read-image.ts';
import { findPage, findPageOfUser, type PublicPass } from '../../domain/passes/find-page.ts';
import { barcodePath, filePath, pagePath } from '../../domain/passes/links.ts';
import { BarcodeError, barcodePng, barcodeSvg } from '../../platform/barcodes.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { walletSaveUri } from '../../wallets/links.ts';
import { IMMUTABLE, stylesheetReply } from '../assets.ts';
import { cardState } from '../card/drawing.ts';
import { isLanguageCode, negotiateLanguage } from '../language.ts';
import { newNonce, pageHeaders } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { DownloadPage } from './download-page.tsx';
import { type Message, MessagePage } from './message-page.tsx';
import { platformOf } from './platform.ts';
import { PrintPage } from './print-page.tsx';
import { DOWNLOAD_STYLESHEET } from './stylesheets.ts';
import { PAGE_WORDS } from './words.ts';

/** The links that the page offers; undefined where the template leaves a wallet out or nobody is set up to sign for it. */
function passFileUrl({ ctx, pass, card, certificate }: PublicPass): string | undefined {
  return card.walletApps.apple && certificate ? ctx.baseUrl + filePath(pass) : undefined;
}

async function walletSaveUrl({ ctx, card, googleIssuer }: PublicPass): Promise<string | undefined> {
  return (await walletSaveUri(ctx, card, googleIssuer)) ?? undefined;
}

/** Pages and pictures behind a pass's link (decisions §7). A GET changes nothing here: mail scanners follow links too. */
export const downloadRoutes = new Hono<PageEnv>()
  .get('/p/:name', async (c) => showPage(c, await findByName(c)))
  .get('/:lang/p/:name', async (c) => showPage(c, await findByName(c), languageOf(c.req.param('lang'))))
  .get('/p/:name/barcode.svg', async (c) => {
    const { format, value } = shownBarcode(await findByName(c));
    return barcodeReply(c, 'image/svg+xml', () => barcodeSvg(format, value));
  })
  .get('/p/:name/barcode.png', async (c) => {
    const { format, value } = shownBarcode(await findByName(c));
    return barcodeReply(c, 'image/png', () => barcodePng(format, value));
  })
  .get('/p/:account/:userProvidedId', async (c) => showPage(c, await findByUser(c)))
  .get('/:lang/p/:account/:userProvidedId', async (c) =>
    showPage(c, await findByUser(c), languageOf(c.req.param('lang'))),
  )
  .get('/images/:sha256', async (c) => imageReply(c, c.req.param('sha256')))
  .get(DOWNLOAD_STYLESHEET.path, () => stylesheetReply(DOWNLOAD_STYLESHEET));

downloadRoutes.onError((error, c) => {
  const [status, message] = failureOf(error);
  if (status === 500) {
    const { requestId } = c.var.ctx;
    logLine('error', { event: 'error', requestId, route: c.var.route, error: describeError(error) });
  }
  const language = negotiateLanguage(c.req.header('Accept-Language'), Object.keys(PAGE_WORDS)) ?? 'en';
  return page(c, newNonce(), <MessagePage language={language} message={message} />, status);
});

type PageContext = Context<PageEnv>;

async function findByName(c: PageContext): Promise<PublicPass> {
  c.set('route', routePath(c));
  const found = await findPage(c.var.ctx, c.req.param('name')!);
  if (!found) throw notFound();
  return found;
}

async function findByUser(c: PageContext): Promise<PublicPass> {
  c.set('route', routePath(c));
  const found = await findPageOfUser(c.var.ctx, c.req.param('account')!, c.req.param('userProvidedId')!);
  if (!found) throw notFound();
  return found;
}

function languageOf(prefix: string): string {
  if (!isLanguageCode(prefix)) throw notFound();
  return prefix;
}

/** The page in the language of its address, else in one that the browser asks for, else in the card's own. */
async function showPage(c: PageContext, found: PublicPass, prefix?: string): Promise<Response> {
  const { card, pass, definition, ctx } = found;
  const cardLanguages = [...new Set([card.language, ...Object.keys(card.translations)])];
  const asked = negotiateLanguage(c.req.header('Accept-Language'), [...cardLanguages, ...Object.keys(PAGE_WORDS)]);
  const now = Date.now();
  const common = {
    card,
    language: prefix ?? asked ?? card.language,
    state: cardState(card, now),
    barcodeUrl: card.barcode?.value ? barcodePath(pass, 'svg') : undefined,
    imageUrl: ({ sha256 }: { sha256: string }) => `/images/${sha256}`,
    now,
  };
  const path = pagePath(pass, prefix);
  const pageUrl = ctx.baseUrl + path;
  const nonce = newNonce();
  if (c.req.query('print') !== undefined && !definition.hidePrintVersion) {
    return page(c, nonce, <PrintPage {...common} pageUrl={pageUrl} />);
  }
  const platform = platformOf(c.req.header('User-Agent'));
  return page(
    c,
    nonce,
    <DownloadPage
      {...common}
      languages={cardLanguages.map((code) => ({ code, url: pagePath(pass, code) }))}
      platform={platform}
      passFileUrl={passFileUrl(found)}
      walletSaveUrl={await walletSaveUrl(found)}
      pageQrSvg={platform === 'desktop' ? await barcodeSvg('qr', pageUrl) : undefined}
      development={found.certificate?.development ?? false}
      printUrl={definition.hidePrintVersion ? undefined : `${path}?print`}
      nonce={nonce}
    />,
  );
}

function page(
  c: PageContext,
  nonce: string,
  content: HtmlEscapedString | Promise<HtmlEscapedString>,
  status: 200 | 404 | 429 | 500 = 200,
) {
  return c.html(content, status, { ...pageHeaders(nonce), Vary: 'Accept-Language, User-Agent' });
}

function shownBarcode({ card }: PublicPass) {
  if (!card.barcode?.value) throw notFound();
  return card.barcode;
}

/** A picture of a code; not found when the symbology cannot hold the value, which the page then shows as text. */
async function barcodeReply(
  c: PageContext,
  type: string,
  draw: () => Promise<string | Uint8Array<ArrayBuffer>>,
): Promise<Response> {
  const picture = await draw().catch((error: unknown) => {
    throw error instanceof BarcodeError ? notFound() : error;
  });
  return c.body(picture, 200, { ...PICTURE_HEADERS, 'Content-Type': type, 'Cache-Control': 'private, no-store' });
}

/** A picture is never more than that, whatever its bytes claim. */
const PICTURE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Referrer-Policy': 'no-referrer',
};

/** Images are public under their content's name: Google fetches them for its wallet. */
async function imageReply(c: PageContext, sha256: string): Promise<Response> {
  const image = await readImage(c.var.ctx, sha256);
  if (!image) throw notFound();
  const type = image.httpMetadata?.contentType ?? 'application/octet-stream';
  return c.body(image.body, 200, { ...PICTURE_HEADERS, 'Content-Type': type, 'Cache-Control': IMMUTABLE });
}

function failureOf(error: unknown): [status: 404 | 429 | 500, message: Message] {
  if (!(error instanceof DomainError)) return [500, 'error'];
  if (error.kind === 'too_many_requests') return [429, 'tooMany'];
  return error.kind === 'not_found' ? [404, 'notFound'] : [500, 'error'];
}
