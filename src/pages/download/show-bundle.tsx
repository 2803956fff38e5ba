import type { Context } from 'hono';
import type { PublicBundle, PublicPass } from '../../domain/passes/page/find-page.ts';
import { openTokens, pathOfPage } from '../../domain/passes/page/links.ts';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { bundleFileReply, hasPassFile } from '../../wallets/apple/pass-file-reply.ts';
import { bundleSaveUri, hasSaveLink } from '../../wallets/links.ts';
import { codeUrl } from '../card/code-url.ts';
import { cardState } from '../card/drawing.ts';
import { matchLanguage } from '../language.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { barrierOf } from './barrier.ts';
import { type BundleItem, BundlePage } from './bundle-page.tsx';
import { askedLanguage, htmlReply } from './html-reply.ts';
import { drawnCard, platformOf, rotates } from './page-parts.tsx';

type PageContext = Context<PageEnv>;

/**
 * Returns the page of a bundle. For a pass that the visitor can't see yet, it shows the reason, and leaves the pass out
 * of the wallet links.
 */
export async function showBundle(c: PageContext, bundle: PublicBundle, prefix?: string): Promise<Response> {
  const now = Date.now();
  const open = openPasses(c, bundle, now);
  const { ctx, card: firstCard } = bundle.passes[0]!;
  const cards = open.map(({ card }) => card);
  const cardLanguages = [...new Set(cards.flatMap((card) => [card.language, ...Object.keys(card.translations)]))];
  const language = prefix ?? askedLanguage(c, cardLanguages) ?? firstCard.language;
  const platform = platformOf(c.req.header('User-Agent'));
  const pageUrl = ctx.baseUrl + pathOfPage(bundle.pageToken, prefix);
  const nonce = newNonce();
  const items = await Promise.all(bundle.passes.map((shown) => itemOf(c, shown, prefix, now)));
  return htmlReply(
    c,
    nonce,
    <BundlePage
      items={items}
      organizationNames={[...new Set(bundle.passes.map(({ card }) => card.organizationName))]}
      language={language}
      current={matchLanguage(language, cardLanguages) ?? firstCard.language}
      languages={cardLanguages.map((code) => ({ code, url: pathOfPage(bundle.pageToken, code) }))}
      platform={platform}
      passFileUrl={open.some(hasPassFile) ? `${pathOfPage(bundle.pageToken)}/passes.pkpasses` : undefined}
      walletSaveUrl={await saveUrl(c, bundle, open)}
      pageQrSvg={platform === 'desktop' ? await barcodeSvg('qr', pageUrl) : undefined}
      development={open.some(({ certificate }) => certificate?.development)}
      imageUrl={({ sha256 }) => `/images/${sha256}`}
      now={now}
      nonce={nonce}
    />,
    200,
    { hasScript: items.some((item) => 'card' in item && rotates(item.card)) },
  );
}

/**
 * Returns the bundle's pass files that the visitor can see, in one file; undefined without any, which the page
 * explains.
 */
export async function bundleFile(c: PageContext, bundle: PublicBundle): Promise<Response | undefined> {
  const open = openPasses(c, bundle, Date.now());
  return open.length > 0 ? bundleFileReply(open) : undefined;
}

/** Returns the Google Wallet link for the bundle's passes that the visitor can see; null without any. */
export function bundleSaveLink(c: PageContext, bundle: PublicBundle): Promise<string | null> {
  return saveLink(c, bundle, openPasses(c, bundle, Date.now()));
}

function saveLink(c: PageContext, bundle: PublicBundle, open: PublicPass[]): Promise<string | null> {
  const { ctx, googleIssuer } = bundle.passes[0]!;
  const cards = open.map(({ card }) => card);
  return bundleSaveUri(ctx, cards, googleIssuer, { publish: c.req.method !== 'HEAD' });
}

/** Returns the target of the page's button: the save link, or the address below the page that creates it. */
async function saveUrl(c: PageContext, bundle: PublicBundle, open: PublicPass[]): Promise<string | undefined> {
  const { isOpenlyNamed, googleIssuer } = bundle.passes[0]!;
  if (!isOpenlyNamed) return (await saveLink(c, bundle, open)) ?? undefined;
  const cards = open.map(({ card }) => card);
  return hasSaveLink(cards, googleIssuer) ? `${pathOfPage(bundle.pageToken)}/save` : undefined;
}

function openPasses(c: PageContext, { passes }: PublicBundle, now: number): PublicPass[] {
  return passes.filter((shown) => barrierOf(c, shown, now) === undefined);
}

async function itemOf(c: PageContext, shown: PublicPass, prefix: string | undefined, now: number): Promise<BundleItem> {
  const { ctx, pass } = shown;
  const card = drawnCard(shown);
  const token = openTokens(ctx.env, pass).page;
  const pageUrl = pathOfPage(token, prefix);
  const barrier = barrierOf(c, shown, now);
  if (barrier) return { pageUrl, barrier };
  const barcodeUrl = await codeUrl(card, `${pathOfPage(token)}/barcode.svg`);
  return { pageUrl, card, state: cardState(card, now), barcodeUrl };
}
