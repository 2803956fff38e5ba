import type { Size } from '../../platform/images.ts';

/** Roles of an image on a card: Apple's file names, which definitions use too. */
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

/** Stored PNG of an image, ready for a pass file. */
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

/** Imported image: the original by content, and its PNGs at 1x, 2x and 3x (at most as large as the original). */
export interface StoredImage {
  /** SHA-256 of the original bytes; its name in `/images/<sha256>`. */
  sha256: string;
  /** Size in pixels of the upright original. */
  width: number;
  height: number;
  /** PNGs by scale. A scale that would repeat a smaller one is absent. */
  variants: Partial<Record<'1' | '2' | '3', ImageVariant>>;
}

export type StoredImages = Partial<Record<ImageRole, StoredImage>>;

const SHA256_PATTERN = /^[0-9a-f]{64}$/;

/** Whether a text has the form of a stored image's name. */
export function isImageName(text: string): boolean {
  return SHA256_PATTERN.test(text);
}

/** Returns the bucket key of an original, which is also its path below the public origin. */
export function originalKey(sha256: string): string {
  return `images/${sha256}`;
}

/** Returns the bucket key of a PNG drawn from an original. */
export function variantKey(sha256: string, role: ImageRole, { width, height }: Size): string {
  return `${originalKey(sha256)}/${role}-${width}x${height}.png`;
}
