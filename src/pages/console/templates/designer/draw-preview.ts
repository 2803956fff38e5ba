import type { Child } from 'hono/jsx';
import { recordView } from '../../../../domain/audit/record-action.ts';
import type { AccountContext } from '../../../../domain/context.ts';
import { DomainError } from '../../../../domain/errors.ts';
import { isLanguageCode } from '../../../../domain/fields.ts';
import type { Card } from '../../../../domain/passes/card/card.ts';
import { cardWith, sampleCard } from '../../../../domain/passes/card/preview-card.ts';
import { getDefinedPass } from '../../../../domain/passes/find-pass.ts';
import { withoutPersonalData } from '../../../../domain/passes/personal-data.ts';
import { signerFor } from '../../../../domain/signing-keys/signer.ts';
import { type StoredDefinition, TemplateDefinition } from '../../../../domain/templates/definition.ts';
import type { DefinedTemplate } from '../../../../domain/templates/get-template.ts';
import { wireDefinition } from '../../../../domain/templates/stored-definition.ts';
import type { NewLayout } from '../../../../domain/templates/wallet-rules/apple-scheme-rules.ts';
import { Lru } from '../../../../platform/lru.ts';
import { readAirports } from '../../../../wallets/apple/airports.ts';
import { type AppleExtras, appleExtras } from '../../../../wallets/apple/layouts.ts';
import type { CardState, WalletLook } from '../../../card/drawing.ts';
import type { AccountPageContext } from '../../console-env.ts';
import { seesPersonalData } from '../../passes/visible-fields.ts';
import { barcodePicture, imageUrl } from '../thumbnail.tsx';
import { type FormTree, itemsAt, setAt, textAt } from './form-tree.ts';
import { pathName } from './path-names.ts';
import { FIRST_LOOK } from './protocol.ts';

/** Settings of the preview, from its controls. */
interface PreviewLook {
  /** The requested layout. Devices may show another one. */
  look: WalletLook;
  face: 'front' | 'back';
  scheme: 'light' | 'dark';
  state: CardState;
  /** Empty: the account's language. */
  language: string;
  /** Identifier of a pass whose values are shown; empty: sample values. */
  pass: string;
}

/** A drawn draft, with the reasons why it can't be drawn as requested. */
export interface Preview extends PreviewLook {
  card: Card;
  /** The layout that devices show if the template requests `look`. */
  drawn: WalletLook;
  picture: Child;
  /** The available layouts with titles. */
  looks: Partial<Record<WalletLook, string>>;
  /** Layouts that devices don't show, with reasons. */
  unshown: { title: string; reasons: string[] }[];
  /** Languages of the definition's translations. */
  languages: string[];
  /** Issues by control name. */
  faults: Record<string, string>;
}

/** Reads the preview's settings. Unknown values mean the first choice. */
function previewLook(tree: FormTree): PreviewLook {
  const one = <T extends string>(name: string, choices: readonly [T, ...T[]]): T =>
    choices.find((choice) => choice === textAt(tree, `preview.${name}`)) ?? choices[0];
  const language = textAt(tree, 'preview.language');
  return {
    look: one('look', ['apple', 'posterEventTicket', 'posterGeneric', 'semanticBoardingPass', 'google']),
    face: one('face', ['front', 'back']),
    scheme: one('scheme', ['light', 'dark']),
    state: one('state', ['ok', 'voided', 'expired']),
    // An incomplete language code is ignored while it is typed.
    language: isLanguageCode(language) ? language : '',
    pass: textAt(tree, 'preview.pass').trim(),
  };
}

/** Applies the settings in an address to the preview's controls. */
export function takeLook(tree: FormTree, query: Record<string, string>): void {
  for (const name of Object.keys(FIRST_LOOK)) if (query[name]) setAt(tree, ['preview', name], query[name]);
}

/** Returns the query parameters that keep the settings. Each begins with `&`. */
export function lookQuery(tree: FormTree): string {
  const chosen = Object.entries(FIRST_LOOK).flatMap(([name, first]) => {
    const value = textAt(tree, `preview.${name}`);
    return value === '' || value === first ? [] : [`&${new URLSearchParams({ [name]: value })}`];
  });
  return chosen.join('');
}

/**
 * Draws a definition, which need not be stored. One round trip if a pass is named, and others if the pass contains
 * signatures, and if the member can see its personal data.
 */
export async function drawPreview(
  c: AccountPageContext,
  { template, version }: DefinedTemplate,
  definition: StoredDefinition,
  tree: FormTree,
): Promise<Preview> {
  const ctx = c.var.acting;
  const look = previewLook(tree);
  const now = Date.now();
  const shown = { template, version, definition };
  const faults: Record<string, string> = {};
  const named = look.pass ? await namedPass(c, template.id, look.pass, faults) : undefined;
  const card = named
    ? cardWith(ctx, shown, named, { state: look.state, now, signer: await signerFor(ctx, definition) })
    : await cardOfSamples(ctx, shown, { tree, now, state: look.state }, faults);
  const picture = await barcodePicture(card);
  if (card.barcode?.value && !picture) faults['barcode.format'] = 'can’t encode the value. Choose another format';
  const hasCode = look.look === 'google' || card.barcode?.rotating?.apple !== 'none';
  const extras = await appleExtras(card, () => readAirports(ctx.env));
  const looks = looksOf(extras);
  const asked = looks[look.look] ? look.look : 'apple';
  const drawn = extras.layouts.some(({ name, isShown }) => name === asked && !isShown) ? 'apple' : asked;
  const barcodeUrl = hasCode ? picture : undefined;
  const language = look.language || card.language;
  // Loaded on demand: only the designer needs it.
  const { drawLook } = await import('../../../card/new-looks/draw-look.tsx');
  return {
    ...look,
    look: asked,
    drawn,
    picture: drawLook(card, { look: drawn, face: look.face, language, imageUrl, barcodeUrl, extras, now }),
    looks,
    unshown: await unshownLayouts(ctx, definition, extras),
    languages: itemsAt(tree, 'translations').flatMap((item) => textAt(item, 'language') || []),
    card,
    faults,
  };
}

const LAYOUTS: Record<NewLayout, string> = {
  posterEventTicket: 'Poster',
  posterGeneric: 'Poster',
  semanticBoardingPass: 'New boarding pass',
};

function looksOf({ layouts }: AppleExtras): Preview['looks'] {
  // An event ticket can have posters for iOS 18 and for iOS 27.
  const titleOf = (name: NewLayout) =>
    name === 'posterGeneric' && layouts.length > 1 ? `${LAYOUTS[name]} (iOS 27)` : LAYOUTS[name];
  const newer = layouts.map(({ name }) => [name, titleOf(name)]);
  return { apple: 'Apple Wallet', ...Object.fromEntries(newer), google: 'Google Wallet' };
}

/** Returns the layouts that devices replace by the classic one, with the reasons from lint. */
async function unshownLayouts(
  ctx: AccountContext,
  definition: StoredDefinition,
  extras: AppleExtras,
): Promise<Preview['unshown']> {
  const unshown = extras.layouts.filter(({ isShown }) => !isShown);
  if (unshown.length === 0) return [];
  const { layoutFaults } = await import('../../../../domain/templates/wallet-rules/apple-scheme-rules.ts');
  const { data } = TemplateDefinition.safeParse(wireDefinition(ctx, definition));
  return unshown.map(({ name, missing }) => {
    const faults = data ? layoutFaults(data, name) : [];
    const reasons = faults.map(({ path, message }) => `${pathName(path.split('.'))} ${message}`);
    // A tag of the definition can be empty for this pass.
    const tags = missing.filter((tag) => !faults.some(({ path }) => path.endsWith(`.${tag}`)));
    if (tags.length > 0) reasons.push(`This pass has no ${tags.join(', ')}`);
    return { title: LAYOUTS[name], reasons };
  });
}

/** Returns the pass as the member can see it. The definition that it shows decides what is personal, not the draft. */
async function namedPass(c: AccountPageContext, templateId: string, name: string, faults: Record<string, string>) {
  const { acting, privileges } = c.var;
  try {
    const { pass, definition } = await getDefinedPass(acting, name);
    if (pass.templateId === templateId) {
      if (!seesPersonalData(privileges)) return withoutPersonalData(pass, definition);
      await noteView(acting, pass.id);
      return pass;
    }
    faults['preview.pass'] = 'belongs to another template. Enter a pass of this template';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    faults['preview.pass'] = 'No pass found. Enter an identifier or external ID';
  }
  return undefined;
}

/** When a member last got an entry for a pass. A preview is drawn again with every change of the form. */
const viewedAt = new Lru<number>(1_000);
const VIEW_MS = 10 * 60_000;

async function noteView(acting: AccountContext, passId: string): Promise<void> {
  const view = `${acting.actor?.id} ${passId}`;
  if (Date.now() < (viewedAt.get(view) ?? 0) + VIEW_MS) return;
  await recordView(acting, { action: 'pass.view', target: { type: 'pass', id: passId } });
  viewedAt.set(view, Date.now());
}

async function cardOfSamples(
  ctx: AccountContext,
  shown: { template: DefinedTemplate['template']; version: number; definition: StoredDefinition },
  { tree, now, state }: { tree: FormTree; now: number; state: CardState },
  faults: Record<string, string>,
): Promise<Card> {
  const rows = itemsAt(tree, 'additionalProperties');
  const samples = new Map(rows.map((row) => [textAt(row, 'name').trim(), textAt(row, 'sample')]));
  const chosen = Object.fromEntries(
    shown.definition.additionalProperties.map(({ id, name }) => [id, samples.get(name) ?? '']),
  );
  try {
    return await sampleCard(ctx, shown, { now, chosen, state });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const { path: id, message } of error.issues) {
      const name = shown.definition.additionalProperties.find((property) => property.id === id)?.name;
      const row = rows.findIndex((one) => textAt(one, 'name').trim() === name);
      if (row >= 0) faults[`additionalProperties.${row}.sample`] = message;
    }
    return sampleCard(ctx, shown, { now, state });
  }
}
