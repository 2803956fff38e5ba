import type { AccountContext } from '../../../../domain/context.ts';
import { DomainError } from '../../../../domain/errors.ts';
import type { Card } from '../../../../domain/passes/card/card.ts';
import { cardWith, sampleCard } from '../../../../domain/passes/card/preview-card.ts';
import { getPass } from '../../../../domain/passes/find-pass.ts';
import { signerFor } from '../../../../domain/signing-keys/signer.ts';
import type { StoredDefinition } from '../../../../domain/templates/definition.ts';
import type { DefinedTemplate } from '../../../../domain/templates/get-template.ts';
import type { CardState, WalletLook } from '../../../card/drawing.ts';
import { barcodePicture } from '../picture.ts';
import { type FormTree, itemsAt, textAt } from './form-tree.ts';

/** How the preview looks at a pass: what its controls say. */
export interface PreviewLook {
  look: WalletLook;
  face: 'front' | 'back';
  scheme: 'light' | 'dark';
  state: CardState;
  /** Empty: the account's. */
  language: string;
  /** Name of a pass whose values are shown; empty: sample values. */
  pass: string;
}

/** A drawn draft, and what stands in the way of drawing it as asked. */
export interface Preview extends PreviewLook {
  card: Card;
  barcodeUrl?: string | null;
  /** UTC milliseconds. */
  now: number;
  /** By the name of the control. */
  faults: Record<string, string>;
}

/** What the controls of the preview say; anything else means the first choice. */
export function previewLook(tree: FormTree): PreviewLook {
  const one = <T extends string>(name: string, choices: readonly [T, ...T[]]): T =>
    choices.find((choice) => choice === textAt(tree, `preview.${name}`)) ?? choices[0];
  return {
    look: one('look', ['apple', 'google']),
    face: one('face', ['front', 'back']),
    scheme: one('scheme', ['light', 'dark']),
    state: one('state', ['ok', 'voided', 'expired']),
    language: textAt(tree, 'preview.language'),
    pass: textAt(tree, 'preview.pass').trim(),
  };
}

/**
 * Draws a definition of a template that need not be stored. One round trip where a pass is named, another where that
 * pass shows signatures.
 */
export async function drawPreview(
  ctx: AccountContext,
  { template, version }: DefinedTemplate,
  definition: StoredDefinition,
  tree: FormTree,
): Promise<Preview> {
  const look = previewLook(tree);
  const now = Date.now();
  const shown = { template, version, definition };
  const faults: Record<string, string> = {};
  const named = look.pass ? await namedPass(ctx, template.id, look.pass, faults) : undefined;
  const card = named
    ? cardWith(ctx, shown, named, { state: look.state, now, signer: await signerFor(ctx, definition) })
    : await cardOfSamples(ctx, shown, { tree, now, state: look.state }, faults);
  const picture = await barcodePicture(card);
  if (card.barcode?.value && !picture) faults['barcode.format'] = 'cannot hold the value';
  const hasCode = look.look === 'google' || card.barcode?.rotating?.apple !== 'none';
  return { ...look, card, barcodeUrl: hasCode ? picture : undefined, now, faults };
}

async function namedPass(ctx: AccountContext, templateId: string, name: string, faults: Record<string, string>) {
  try {
    const { pass } = await getPass(ctx, name);
    if (pass.templateId === templateId) return pass;
    faults['preview.pass'] = 'belongs to another template';
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    faults['preview.pass'] = 'No such pass';
  }
  return undefined;
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
