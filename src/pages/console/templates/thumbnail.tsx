import type { AccountContext } from '../../../domain/context.ts';
import type { Card } from '../../../domain/passes/card/card.ts';
import { type PreviewedTemplate, sampleCard } from '../../../domain/passes/card/preview-card.ts';
import { BarcodeError, barcodeSvg } from '../../../platform/barcodes.ts';
import { cardColorsCss } from '../../card/card-colors.ts';
import { drawCard } from '../../card/draw-card.tsx';

/** The upper part of a pass, as visible in a stack of passes. The adjacent text describes it. */
export function Thumbnail({ drawn: { card, barcodeUrl, now } }: { drawn: DrawnThumbnail }) {
  return (
    <div class="thumbnail" aria-hidden="true" inert>
      {drawCard(card, { face: 'front', language: card.language, imageUrl, barcodeUrl, now })}
    </div>
  );
}

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

/** Returns a card's code as a data URL; undefined without a code, null if the symbology can't encode the value. */
export async function barcodePicture({ barcode }: Pick<Card, 'barcode'>): Promise<string | null | undefined> {
  if (!barcode?.value) return undefined;
  try {
    return `data:image/svg+xml,${encodeURIComponent(await barcodeSvg(barcode.format, barcode.value))}`;
  } catch (error) {
    if (error instanceof BarcodeError) return null;
    throw error;
  }
}

/** Returns the address of a stored image. */
export const imageUrl = ({ sha256 }: { sha256: string }) => `/images/${sha256}`;
