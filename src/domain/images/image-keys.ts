import type { Size } from '../../platform/images.ts';
import type { ImageRole } from './stored-image.ts';

const SHA256_PATTERN = /^[0-9a-f]{64}$/;

/** Whether a text can name an image of the store. */
export function isImageName(text: string): boolean {
  return SHA256_PATTERN.test(text);
}

/** Bucket key of an original; also its path below the public origin. */
export function originalKey(sha256: string): string {
  return `images/${sha256}`;
}

/** Bucket key of a PNG drawn from an original. */
export function variantKey(sha256: string, role: ImageRole, { width, height }: Size): string {
  return `${originalKey(sha256)}/${role}-${width}x${height}.png`;
}
