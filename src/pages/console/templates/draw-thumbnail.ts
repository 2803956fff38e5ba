import type { AccountContext } from '../../../domain/context.ts';
import type { Card } from '../../../domain/passes/card/card.ts';
import { type PreviewedTemplate, sampleCard } from '../../../domain/passes/card/preview-card.ts';
import { cardColorsCss } from '../../card/card-colors.ts';
import { barcodePicture } from './picture.ts';

/** A sample pass of a template, ready to be drawn in a list. */
export interface DrawnThumbnail {
  card: Card;
  barcodeUrl?: string | null;
  /** The CSS rule with its colors. */
  css: string;
  /** UTC milliseconds. */
  now: number;
}

/** Draws a sample pass. `id` distinguishes it from others on the page. No round trip. */
export async function drawThumbnail(
  ctx: AccountContext,
  shown: Omit<PreviewedTemplate, 'template'>,
  id: string,
  { withCode = false } = {},
): Promise<DrawnThumbnail> {
  const now = Date.now();
  const card = await sampleCard(ctx, { ...shown, template: { id } }, { now });
  const barcodeUrl = withCode ? await barcodePicture(card) : undefined;
  return { card, barcodeUrl, css: cardColorsCss(card), now };
}
