import type { BarcodeFormat } from '../../../platform/barcode-formats.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { checked } from '../../check.ts';
import type { AccountContext } from '../../context.ts';
import type { TextSigner } from '../../signing-keys/signer.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { Template } from '../../templates/table.ts';
import { timeZoneOf } from '../../templates/time-zone.ts';
import { newPass } from '../create-pass.ts';
import { openTokens, shownTokens } from '../page/links.ts';
import type { Pass } from '../table.ts';
import { PassFields } from '../values/pass-fields.ts';
import { barcodeText, filledBarcode } from '../values/pass-values.ts';
import { sampleFields } from '../values/sample-fields.ts';
import type { Card } from './card.ts';
import { resolveCard } from './resolve-card.ts';

/** Template to preview; its definition need not be stored. */
export interface PreviewedTemplate {
  template: Pick<Template, 'id'>;
  version: number;
  definition: StoredDefinition;
}

export interface PreviewOptions {
  /** UTC milliseconds. */
  now: number;
  /** Values of additional properties, by property ID. */
  chosen?: Record<string, string>;
  state?: 'ok' | 'voided' | 'expired';
}

/** Sample signature for passes that don't exist. */
const SAMPLE_SIGNER: TextSigner = { keyId: 'sample', sign: () => `3045${'0a1b2c3d'.repeat(17)}` };
const SAMPLE_ID = 'SAMPLE0000000001';
/** For codes that can't contain letters. */
const SAMPLE_NUMBERS: Partial<Record<BarcodeFormat | 'none', string>> = {
  ean13: '4006381333931',
  codabar: '0123456789',
  itf: '00123456789012',
};

/** Builds a card of a pass with sample values. No round trip. Throws `invalid` for an invalid chosen value. */
export async function sampleCard(
  ctx: AccountContext,
  shown: PreviewedTemplate,
  { now, chosen, state = 'ok' }: PreviewOptions,
): Promise<Card> {
  const timezone = timeZoneOf(ctx.account, shown.definition);
  const sent = { ...sampleFields(shown.definition, { tag: '1', now, timezone, chosen }), barcodeValue: SAMPLE_ID };
  const made = await newPass(ctx, shown as Parameters<typeof newPass>[1], checked(PassFields, sent), sent, uuidv7());
  const pass = { ...renamed(ctx, made, shown.template.id), generatedId: SAMPLE_ID };
  pass.barcodeValue = sampleBarcode(ctx, shown.definition, pass);
  return cardOf(ctx, shown, pass, { state, now, signer: SAMPLE_SIGNER });
}

/** Builds the card of an existing pass with another definition of its template. */
export function cardWith(
  ctx: AccountContext,
  shown: PreviewedTemplate,
  pass: Pass,
  options: { state: NonNullable<PreviewOptions['state']>; now: number; signer?: TextSigner },
): Card {
  return cardOf(ctx, shown, renamed(ctx, pass, shown.template.id), options);
}

/** Returns the pass with another ID. Its encrypted tokens are bound to the old ID and are decrypted here. */
function renamed({ env }: AccountContext, pass: Pass, id: string): Pass {
  return { ...pass, ...shownTokens(openTokens(env, pass)), id };
}

function cardOf(
  ctx: AccountContext,
  { definition, version }: PreviewedTemplate,
  pass: Pass,
  options: { state: NonNullable<PreviewOptions['state']>; now: number; signer?: TextSigner },
): Card {
  const { account } = ctx;
  const shown = { ...pass, voided: pass.voided || options.state === 'voided' };
  const card = resolveCard({
    account,
    pass: shown,
    definition,
    templateVersion: version,
    links: ctx,
    signer: options.signer,
  });
  return options.state === 'expired' ? { ...card, expirationAt: options.now } : card;
}

function sampleBarcode(ctx: AccountContext, definition: StoredDefinition, pass: Pass): string {
  const text = barcodeText(definition);
  const { format } = definition.barcode;
  const { customNumberRange: range } = definition;
  if (range) return range.prefix + String(range.from).padStart(range.padding, '0');
  if (text === '') return SAMPLE_NUMBERS[format] ?? SAMPLE_ID;
  const timezone = timeZoneOf(ctx.account, definition);
  return filledBarcode(text, { pass, definition, timezone, links: ctx, signer: SAMPLE_SIGNER });
}
