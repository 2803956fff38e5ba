import type { Context } from 'hono';
import { notFound } from '../../domain/errors.ts';
import { findImage } from '../../domain/images/find-image.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { codeAt } from '../../domain/passes/page/rotating-key.ts';
import { BarcodeError, barcodePng, barcodeSvg } from '../../platform/barcodes.ts';
import type { PageEnv } from '../page-env.ts';

/** Prevents browsers from treating a picture as anything else, regardless of its bytes. */
const PICTURE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'Referrer-Policy': 'no-referrer',
};

const TYPES = { svg: 'image/svg+xml', png: 'image/png' };

/**
 * Returns the picture of a pass's current code. Throws not found without a code, or if the symbology can't encode the
 * value, which pages then show as text.
 */
export async function barcodeReply(c: Context<PageEnv>, { card }: PublicPass, type: 'svg' | 'png'): Promise<Response> {
  const value = card.barcode && codeAt(card.barcode, Date.now());
  if (!value) throw notFound();
  const { format } = card.barcode!;
  const drawing: Promise<string | Uint8Array<ArrayBuffer>> =
    type === 'svg' ? barcodeSvg(format, value) : barcodePng(format, value);
  const picture = await drawing.catch((error: unknown) => {
    throw error instanceof BarcodeError ? notFound() : error;
  });
  return c.body(picture, 200, {
    ...PICTURE_HEADERS,
    'Content-Type': TYPES[type],
    'Cache-Control': 'private, no-store',
  });
}

/**
 * Returns a stored image. Images are public by the hash of their content, because Google fetches them. Throws not
 * found.
 */
export async function imageReply(c: Context<PageEnv>, sha256: string): Promise<Response> {
  const image = await findImage(c.var.ctx, sha256);
  if (!image) throw notFound();
  const type = image.httpMetadata?.contentType ?? 'application/octet-stream';
  return c.body(image.body, 200, {
    ...PICTURE_HEADERS,
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
}
