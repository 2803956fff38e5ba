import type { Context } from 'hono';
import type { Card } from '../../domain/passes/card/card.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { openTokens, pathOfPage } from '../../domain/passes/page/links.ts';
import { PIN_LOCK_MINUTES, tryPin } from '../../domain/passes/page/pin.ts';
import { countPrint } from '../../domain/passes/page/print-pass.ts';
import { attempt, callerNetwork, enforceRateLimit } from '../../domain/rate-limits.ts';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { hasPassFile } from '../../wallets/apple/pass-file-reply.ts';
import { hasSaveLink, walletSaveUri } from '../../wallets/links.ts';
import { codeUrl } from '../card/code-url.ts';
import { cardState } from '../card/drawing.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { type Barrier, barrierOf, keepPinProof } from './barrier.ts';
import { BarrierPage } from './barrier-page.tsx';
import { DownloadPage } from './download-page.tsx';
import { askedLanguage, htmlReply } from './html-reply.ts';
import { drawnCard, platformOf, rotates } from './page-parts.tsx';
import { PrintPage } from './print-page.tsx';

type PageContext = Context<PageEnv>;

/**
 * Returns the page of a pass in the language of its address (`prefix`), in one that the browser prefers, or in the
 * card's own.
 */
export async function showPass(c: PageContext, shown: PublicPass, prefix?: string): Promise<Response> {
  const now = Date.now();
  const barrier = barrierOf(c, shown, now);
  if (barrier) return showBarrier(c, shown, { barrier, prefix });
  const { pass, definition, ctx } = shown;
  const token = openTokens(ctx.env, pass).page;
  const card = drawnCard(shown);
  const cardLanguages = [...new Set([card.language, ...Object.keys(card.translations)])];
  const common = {
    card,
    language: prefix ?? askedLanguage(c, cardLanguages) ?? card.language,
    state: cardState(card, now),
    barcodeUrl: await codeUrl(card, `${pathOfPage(token)}/barcode.svg`),
    imageUrl: ({ sha256 }: { sha256: string }) => `/images/${sha256}`,
    now,
  };
  const path = pathOfPage(token, prefix);
  const pageUrl = ctx.baseUrl + path;
  const nonce = newNonce();
  if (c.req.query('print') !== undefined && !definition.hidePrintVersion) {
    return htmlReply(c, nonce, <PrintPage {...common} {...(await printed(card))} pageUrl={pageUrl} />);
  }
  const platform = platformOf(c.req.header('User-Agent'));
  return htmlReply(
    c,
    nonce,
    <DownloadPage
      {...common}
      languages={cardLanguages.map((code) => ({ code, url: pathOfPage(token, code) }))}
      platform={platform}
      passFileUrl={hasPassFile(shown) ? `${pathOfPage(token)}/pass.pkpass` : undefined}
      walletSaveUrl={await saveUrl(c, shown)}
      pageQrSvg={platform === 'desktop' ? await barcodeSvg('qr', pageUrl) : undefined}
      development={shown.certificate?.development ?? false}
      printUrl={definition.hidePrintVersion ? undefined : `${path}?print`}
      nonce={nonce}
    />,
    200,
    { hasScript: rotates(card) },
  );
}

/** Returns what paper shows in place of a rotating code: the value alone if that is useful, or no code. */
async function printed({ barcode }: Card): Promise<{ barcodeUrl?: string }> {
  if (!barcode?.rotating) return {};
  if (barcode.rotating.apple === 'none') return { barcodeUrl: undefined };
  const svg = await barcodeSvg(barcode.format, barcode.value);
  return { barcodeUrl: `data:image/svg+xml,${encodeURIComponent(svg)}` };
}

/** Returns the Google Wallet link of the pass; null if there is none, or if the visitor can't see the pass. */
export async function passSaveLink(c: PageContext, shown: PublicPass): Promise<string | null> {
  return barrierOf(c, shown) ? null : saveLink(c, shown);
}

function saveLink(c: PageContext, { ctx, card, googleIssuer }: PublicPass): Promise<string | null> {
  return walletSaveUri(ctx, card, googleIssuer, { publish: c.req.method !== 'HEAD' });
}

/** Returns the target of the page's button: the save link, or the address below the page that creates it. */
async function saveUrl(c: PageContext, shown: PublicPass): Promise<string | undefined> {
  const { ctx, isOpenlyNamed, card, googleIssuer, pass } = shown;
  if (!isOpenlyNamed) return (await saveLink(c, shown)) ?? undefined;
  return hasSaveLink([card], googleIssuer) ? `${pathOfPage(openTokens(ctx.env, pass).page)}/save` : undefined;
}

/**
 * Handles the page's two forms: `?print` counts and shows a print version, otherwise the PIN is checked. Both redirect,
 * so that reloads repeat nothing. `Origin` isn't checked: without a referrer it is null, and anyone with the PIN may
 * send it.
 */
export async function answerForm(c: PageContext, shown: PublicPass, prefix?: string): Promise<Response> {
  const { pathname } = new URL(c.req.url);
  const network = callerNetwork(c.req.raw, c.env);
  const barrier = barrierOf(c, shown);
  if (c.req.query('print') !== undefined) {
    if (barrier || shown.definition.hidePrintVersion) return c.redirect(pathname, 303);
    await enforceRateLimit(c.env, 'print', network && `${shown.pass.id} ${network}`);
    await countPrint(shown.ctx, shown.pass);
    return c.redirect(`${pathname}?print`, 303);
  }
  if (barrier !== 'pin' && barrier !== 'locked') return c.redirect(pathname, 303);
  const { pin } = await c.req.parseBody().catch((): Record<string, undefined> => ({}));
  const enter = () => tryPin(shown.ctx, shown.pass, typeof pin === 'string' ? pin : '');
  const { outcome, triesLeft } = await attempt(c.env, 'guess', network, enter, (tried) => tried.outcome === 'right');
  if (outcome === 'right') {
    keepPinProof(c, shown);
    return c.redirect(pathname, 303);
  }
  return showBarrier(c, shown, { barrier: outcome === 'wrong' ? 'pin' : 'locked', prefix, triesLeft });
}

/**
 * Returns the page in place of the pass: 403 after a wrong PIN, 429 after a rejected attempt. `triesLeft` belongs to
 * the PIN that was just sent.
 */
function showBarrier(
  c: PageContext,
  { card, pass }: PublicPass,
  { barrier, prefix, triesLeft }: { barrier: Barrier; prefix?: string; triesLeft?: number },
) {
  const tried = triesLeft !== undefined;
  const now = Date.now();
  const lockMillis = PIN_LOCK_MINUTES * 60_000;
  // The pass was read before the attempt, so it may lack the new lock.
  const lockedUntil = (pass.pinLockedUntilAt ?? 0) > now ? pass.pinLockedUntilAt! : now + lockMillis;
  if (tried && barrier === 'locked') c.header('Retry-After', String(Math.ceil((lockedUntil - now) / 1_000)));
  const status = tried ? (barrier === 'locked' ? 429 : 403) : 200;
  return htmlReply(
    c,
    newNonce(),
    <BarrierPage
      barrier={barrier}
      organizationName={card.organizationName}
      language={prefix ?? askedLanguage(c) ?? card.language}
      triesLeft={triesLeft}
      lockedUntil={lockedUntil}
      now={now}
    />,
    status,
  );
}
