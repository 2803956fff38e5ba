import type { Size } from '../../platform/images.ts';

/** What an image is for on a card; names are Apple's file names, which are also those of a definition. */
export const IMAGE_ROLES = [
  'icon',
  'logo',
  'background',
  'strip',
  'thumbnail',
  'footer',
  'artwork',
  'primaryLogo',
  'secondaryLogo',
  'venueMap',
] as const;
export type ImageRole = (typeof IMAGE_ROLES)[number];

/** One stored PNG of an image, ready to go into a pass file. */
export interface ImageVariant {
  key: string;
  width: number;
  height: number;
  bytes: number;
  /** Lower-case hexadecimal, for `manifest.json`. */
  sha1: string;
  /** CRC-32 as an unsigned number, for the archive's directory. */
  crc32: number;
}

/** An imported image: the original by content, and its PNGs at 1x, 2x and 3x (at most as large as the original). */
export interface StoredImage {
  /** SHA-256 of the original bytes; names it at `/images/<sha256>`. */
  sha256: string;
  /** Size in pixels of the upright original. */
  width: number;
  height: number;
  /** Scale to PNG; a scale that would only repeat a smaller one is absent. */
  variants: Partial<Record<'1' | '2' | '3', ImageVariant>>;
}

export type StoredImages = Partial<Record<ImageRole, StoredImage>>;

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
