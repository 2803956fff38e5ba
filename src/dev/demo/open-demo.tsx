import type { AccountContext, Context } from '../../domain/context.ts';
import { resolveCard } from '../../domain/passes/card/resolve-card.ts';
import { pagePath } from '../../domain/passes/page/links.ts';
import { codeAt } from '../../domain/passes/page/rotating-key.ts';
import { signerFor } from '../../domain/signing-keys/signer.ts';
import { getTemplate } from '../../domain/templates/get-template.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { getTimeline } from '../../domain/timeline/get-timeline.ts';
import { cardColorsCss } from '../../pages/card/card-colors.ts';
import { codeUrl } from '../../pages/card/code-url.ts';
import { valuesOf } from '../../pages/console/passes/form-values.ts';
import { formFields } from '../../pages/console/passes/pass-form.ts';
import { wordsOf } from '../../pages/console/passes/timeline-words.ts';
import { barcodeSvg } from '../../platform/barcodes.ts';
import { CHOICES } from './choices.ts';
import * as demoPasses from './demo-passes.ts';
import { type DevDemo, findDemo, getDemo, orUndefined } from './find-demo.ts';
import { DemoSection, type OfferedTemplate, type ShownPass } from './section.tsx';

/** Everything that a demo request needs is imported here, so that it is loaded with one import. */
export { demoPasses, getDemo };

/** Types of entries that a form of the demo adds. The others, such as pushes, follow in the background. */
const ACTIONS = new Set(['created', 'changed', 'scanned']);

/** Returns the demo for the front page, with the pass of that identifier; undefined without the demo account. */
export async function openDemo(ctx: Context, passId: string | undefined): Promise<DevDemo | undefined> {
  const demo = await findDemo(ctx);
  if (!demo) return undefined;
  const [offered, shown] = await Promise.all([
    offeredTemplates(demo),
    passId === undefined ? undefined : orUndefined(showPass(demo, passId)),
  ]);
  if (offered.length === 0) return undefined;
  return {
    section: <DemoSection templates={offered} shown={shown} isGone={passId !== undefined && !shown} />,
    css: shown ? cardColorsCss(shown.card) : '',
    stylesheet: 'dev/front-page.css',
    script: 'dev/demo.ts',
  };
}

/** Returns the demo's templates that still exist. */
async function offeredTemplates(demo: AccountContext): Promise<OfferedTemplate[]> {
  const found = await Promise.all(
    CHOICES.map(async ({ templateName, label }) => {
      const template = await orUndefined(getTemplate(demo, templateName));
      return template && { templateName, label };
    }),
  );
  return found.filter((template) => template !== undefined);
}

async function showPass(demo: AccountContext, id: string): Promise<ShownPass> {
  const found = await demoPasses.getDemoPass(demo, id);
  const { pass, definition, version, choice, field } = found;
  const [{ entries }, signer] = await Promise.all([
    getTimeline(demo, id, { limit: demoPasses.ENTRIES_MAX }),
    signerFor(demo, definition),
  ]);
  const card = resolveCard({ account: demo.account, pass, definition, templateVersion: version, links: demo, signer });
  const labels = new Map(formFields(definition).map(({ key, label }) => [key, label]));
  const timezone = timeZoneOf(demo.account, definition);
  const value = card.barcode && codeAt(card.barcode, Date.now());
  return {
    id,
    card,
    choice,
    value: field && valuesOf([field], pass, timezone)[field.key],
    pageUrl: demo.baseUrl + pagePath(demo.env, pass),
    consoleUrl: `/console/accounts/${demo.account.id}/passes/${id}`,
    barcodeUrl: value ? await codeUrl(card, await pictureOf(card.barcode!.format, value)) : undefined,
    entries: entries.map((entry) => ({
      id: entry.id,
      at: entry.at,
      isAction: ACTIONS.has(entry.type),
      ...wordsOf(entry, { version: pass.version, labels, seesPersonalData: true }),
    })),
  };
}

async function pictureOf(...[format, value]: Parameters<typeof barcodeSvg>): Promise<string> {
  const svg = await barcodeSvg(format, value).catch(() => '');
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
