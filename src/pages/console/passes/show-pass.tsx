import { chooseGoogleIssuer, googleIssuerQuery } from '../../../domain/certificates/find-google-issuer.ts';
import { type Issue, notFound } from '../../../domain/errors.ts';
import type { Card } from '../../../domain/passes/card/card.ts';
import { resolveCard } from '../../../domain/passes/card/resolve-card.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from '../../../domain/passes/find-pass.ts';
import { moveTargetsQuery } from '../../../domain/passes/move-pass.ts';
import { barcodePath, filePath, pagePath } from '../../../domain/passes/page/links.ts';
import { codeAt } from '../../../domain/passes/page/rotating-key.ts';
import { withoutPersonalData } from '../../../domain/passes/personal-data.ts';
import { signerFor } from '../../../domain/signing-keys/signer.ts';
import { parsePlace, timelinePart } from '../../../domain/timeline/get-timeline.ts';
import { type JudgedPass, judgePass } from '../../../domain/timeline/verdict.ts';
import { versionNumber } from '../../../domain/versions.ts';
import { barcodeSvg, canHold } from '../../../platform/barcodes.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import { walletSaveUri } from '../../../wallets/links.ts';
import { cardColorsCss } from '../../card/card-colors.ts';
import { codeUrl } from '../../card/code-url.ts';
import type { AccountPageContext } from '../console-env.ts';
import { page } from '../reply.tsx';
import { PassPage } from './pass-page.tsx';
import { seesPersonalData } from './visible-fields.ts';

const TIMELINE_ROWS = 20;

/** Draws the page of a pass. Two round trips besides the session's, three if its texts are signed. Throws not found. */
export async function showPass(
  c: AccountPageContext,
  refused?: { issues: Issue[]; typed: Record<string, unknown> },
): Promise<Response> {
  const { acting } = c.var;
  const id = c.req.param('pass') ?? '';
  if (!UUID_PATTERN.test(id)) throw notFound();
  const before = parsePlace(c.req.query('before') ?? '');
  const timeline = timelinePart(acting, id, { before, limit: TIMELINE_ROWS + 1 });
  const [[row], issuers, targets, ...told] = await acting.db.batch([
    definedPassQuery(acting, id),
    googleIssuerQuery(acting.db, acting.account.id),
    moveTargetsQuery(acting, id),
    ...timeline.queries,
  ]);
  const stored = toDefinedPass(row);
  const { entries, read } = await timeline.read(told);
  const { definition, version } = stored;
  const seesAll = seesPersonalData(c.var.privileges);
  const pass = seesAll ? stored.pass : withoutPersonalData(stored.pass, definition);
  const found = { ...stored, pass };
  const { account, baseUrl, env } = acting;
  const signer = await signerFor(acting, definition);
  const card = resolveCard({ account, pass, definition, templateVersion: version, links: acting, signer });
  const pageUrl = baseUrl + pagePath(env, pass);
  const shown = entries.slice(0, TIMELINE_ROWS);
  const last = entries.length > TIMELINE_ROWS ? shown.at(-1) : undefined;
  return page(
    c,
    <PassPage
      found={found}
      card={card}
      links={
        seesAll
          ? {
              page: pageUrl,
              file: baseUrl + filePath(env, pass),
              save: await walletSaveUri(acting, card, chooseGoogleIssuer(issuers)),
              pageQrSvg: await barcodeSvg('qr', pageUrl),
            }
          : undefined
      }
      barcodeUrl={await codeUrl(card, seesAll ? barcodePath(env, pass) : await drawnCode(card))}
      targets={targets.filter((one) => one.id !== pass.templateId)}
      timeline={{
        entries: shown,
        next: last?.id,
        isFirst: before === undefined,
        verdicts: before === undefined ? judgePass(judgedPass(stored), read) : [],
      }}
      typed={refused?.typed ?? {}}
      css={cardColorsCss(card)}
      now={Date.now()}
    />,
    refused ? 400 : 200,
    refused?.issues,
  );
}

/** Returns the code as a data URL: its public address contains the secret that also opens the pass file. */
async function drawnCode({ barcode }: Card): Promise<string> {
  const value = barcode && codeAt(barcode, Date.now());
  if (!value || !(await canHold(barcode!.format, value))) return '';
  return `data:image/svg+xml,${encodeURIComponent(await barcodeSvg(barcode!.format, value))}`;
}

function judgedPass({ pass, template, version }: DefinedPass): JudgedPass {
  const publishedAt = version > pass.templateVersion ? template.publishedAt : null;
  return { ...pass, templateVersion: versionNumber(version), publishedAt };
}
