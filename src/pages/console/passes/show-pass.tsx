import { chooseGoogleIssuer, googleIssuerQuery } from '../../../domain/certificates/find-google-issuer.ts';
import { notFound } from '../../../domain/errors.ts';
import { definedPassQuery, toDefinedPass } from '../../../domain/passes/find-pass.ts';
import { barcodePath, filePath, pagePath } from '../../../domain/passes/links.ts';
import { moveTargetsQuery } from '../../../domain/passes/move-targets.ts';
import { resolveCard } from '../../../domain/passes/resolve-card.ts';
import { signerFor } from '../../../domain/signing-keys/signer.ts';
import { mergeTimeline, type TimelinePlace, timelineQueries } from '../../../domain/timeline/read-timeline.ts';
import { barcodeSvg } from '../../../platform/barcodes.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import { walletSaveUri } from '../../../wallets/links.ts';
import { cardColorsCss } from '../../card/card-colors.ts';
import { codeUrl } from '../../card/code-url.ts';
import { newNonce } from '../../layout.tsx';
import type { AccountPageContext } from '../console-env.ts';
import { frameOf, page } from '../reply.tsx';
import { PassPage, type Refused } from './pass-page.tsx';

const TIMELINE_ROWS = 20;
const PLACE = /^(\d{1,15})-([\w-]{1,100})$/;

/** The page of a pass; one round trip beside that of the session, two when its texts are signed. Throws not found. */
export async function showPass(c: AccountPageContext, refused?: Refused): Promise<Response> {
  const { acting } = c.var;
  const id = c.req.param('pass') ?? '';
  if (!UUID_PATTERN.test(id)) throw notFound();
  const before = placeOf(c.req.query('before'));
  const [[row], issuers, targets, ...told] = await acting.db.batch([
    definedPassQuery(acting, id),
    googleIssuerQuery(acting.db, acting.account.id),
    moveTargetsQuery(acting, id),
    ...timelineQueries(acting, id, { before, limit: TIMELINE_ROWS + 1 }),
  ]);
  const entries = mergeTimeline(told, TIMELINE_ROWS + 1);
  const found = toDefinedPass(row);
  const { pass, definition, version } = found;
  const { account, baseUrl, env } = acting;
  const signer = await signerFor(acting, definition);
  const card = resolveCard({ account, pass, definition, templateVersion: version, links: acting, signer });
  const pageUrl = baseUrl + pagePath(env, pass);
  const nonce = newNonce();
  const shown = entries.slice(0, TIMELINE_ROWS);
  const last = entries.length > TIMELINE_ROWS ? shown.at(-1) : undefined;
  return page(
    c,
    <PassPage
      frame={frameOf(c)}
      found={found}
      card={card}
      links={{
        page: pageUrl,
        file: baseUrl + filePath(env, pass),
        save: await walletSaveUri(acting, card, chooseGoogleIssuer(issuers)),
        barcode: await codeUrl(card, barcodePath(env, pass)),
      }}
      pageQrSvg={await barcodeSvg('qr', pageUrl)}
      targets={targets.filter((one) => one.id !== pass.templateId)}
      timeline={{ entries: shown, next: last && `${last.at}-${last.id}`, isFirst: before === undefined }}
      refused={refused}
      styles={{ nonce, css: cardColorsCss(card) }}
      now={Date.now()}
    />,
    refused ? 400 : 200,
    nonce,
  );
}

function placeOf(text: string | undefined): TimelinePlace | undefined {
  const [, at, id] = PLACE.exec(text ?? '') ?? [];
  return at && id ? { at: Number(at), id } : undefined;
}
