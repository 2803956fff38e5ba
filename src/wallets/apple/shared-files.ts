import type { ImageVariant } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { type ZipBlock, zipBlock } from '../../platform/zip.ts';
import { defaultIcons, imageFiles, type NewLayouts } from './images.ts';
import { passStringsFiles, type StringsFile } from './strings.ts';

/**
 * Files that all passes of a definition share: translations and images. Their digests and archive headers are computed
 * once.
 */
export interface SharedFiles {
  block: ZipBlock;
  /** Content of each file of `block`: its bytes, or the index of its image in `images`. */
  contents: (Uint8Array | number)[];
  /** Images without duplicates. One image can have several names. */
  images: ImageVariant[];
  /** manifest.json, with zeros for the digest of pass.json. */
  manifest: Uint8Array;
}

/** Position of the digest of pass.json in manifest.json. */
const PASS_DIGEST_AT = '{"pass.json":"'.length;
const SHA1_HEX_LENGTH = 40;

const encoder = new TextEncoder();

/**
 * Cached by the `images` object of a card, which all passes of a definition share unless they have their own images.
 */
const kept = new WeakMap<Card['images'], { strings: StringsFile[]; of: string; files: SharedFiles }>();

/**
 * Returns the files of a card other than pass.json, manifest and signature. Chosen once for all passes that share them.
 */
export function sharedFiles(card: Card, layouts: NewLayouts): SharedFiles {
  const strings = passStringsFiles(card);
  if (Object.keys(card.localizedBackgrounds).length > 0) return makeFiles(card, strings, layouts);
  const of = `${card.type} ${layouts.scheme} ${layouts.hasPosterGeneric}`;
  const known = kept.get(card.images);
  if (known?.strings === strings && known.of === of) return known.files;
  const files = makeFiles(card, strings, layouts);
  kept.set(card.images, { strings, of, files });
  return files;
}

/** Returns manifest.json with the digest of pass.json in lowercase hexadecimal. */
export function manifestOf({ manifest }: SharedFiles, passSha1: string): Uint8Array {
  const bytes = manifest.slice();
  encoder.encodeInto(passSha1, bytes.subarray(PASS_DIGEST_AT, PASS_DIGEST_AT + SHA1_HEX_LENGTH));
  return bytes;
}

function makeFiles(card: Card, strings: StringsFile[], layouts: NewLayouts): SharedFiles {
  const languages = strings.map(({ language }) => language);
  const shown = imageFiles(card, languages, layouts);
  const icons = shown.some(({ name }) => name.startsWith('icon')) ? [] : defaultIcons();
  const held = [...strings, ...icons];
  const images = [...new Map(shown.map(({ variant }) => [variant.key, variant])).values()];
  const placeOf = new Map(images.map(({ key }, i) => [key, i]));
  const files = [
    ...held.map(({ name, sha1, crc32, bytes }) => ({ name, sha1, crc32, length: bytes.length })),
    ...shown.map(({ name, variant: { sha1, crc32, bytes } }) => ({ name, sha1, crc32, length: bytes })),
  ];
  const digests = Object.fromEntries(files.map(({ name, sha1 }) => [name, sha1]));
  return {
    block: zipBlock(files),
    contents: [...held.map(({ bytes }) => bytes), ...shown.map(({ variant }) => placeOf.get(variant.key)!)],
    images,
    manifest: encoder.encode(JSON.stringify({ 'pass.json': '0'.repeat(SHA1_HEX_LENGTH), ...digests })),
  };
}
