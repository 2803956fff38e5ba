import { ImageError, inspectImage, type Size } from '../../platform/images.ts';
import type { Context } from '../context.ts';
import { findOriginal } from './find-image.ts';
import { decodeBase64, isUrl } from './import-image.ts';

/**
 * Returns the size in pixels of an image that needs no download: base64, or the URL of our store. Undefined for other
 * URLs, and for a text that isn't an image.
 */
export async function measureImage(ctx: Context, source: string): Promise<Size | undefined> {
  if (isUrl(source)) return findOriginal(ctx, source);
  try {
    return inspectImage(decodeBase64(source));
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
