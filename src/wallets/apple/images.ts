import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ImageRole, ImageVariant, StoredImage } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { STYLE_IMAGES } from '../../domain/templates/apple/styles.ts';
import { fromBase64 } from '../../platform/crypto.ts';
import { own } from '../../platform/json.ts';
import { type ZipBlock, zipBlock } from '../../platform/zip.ts';
import { passStringsFiles, type StringsFile } from './strings.ts';

interface ImageFile {
  name: string;
  variant: ImageVariant;
}

/** Layouts that the file has in addition to the classic style. */
interface NewLayouts {
  /** The scheme of `preferredStyleSchemes`. */
  scheme?: string;
  hasPosterGeneric: boolean;
}

/**
 * Returns the images of a card by Apple's names, such as `background@2x.png`. A background at the top would override
 * localized ones, so each language gets its own or the card's. New layouts add the logo and the poster under new names.
 * `languages`: those with a folder for texts.
 */
function imageFiles(card: Card, languages: Iterable<string>, layouts: NewLayouts): ImageFile[] {
  const localized = Object.keys(card.localizedBackgrounds).length > 0;
  const files = rolesOf(card, layouts).flatMap((role) =>
    role === 'background' && localized ? localizedBackgrounds(card, languages) : scales(role, card.images[role]),
  );
  const hasNewLayout = layouts.scheme !== undefined || layouts.hasPosterGeneric;
  return hasNewLayout ? [...files, ...scales('primaryLogo', card.images.primaryLogo ?? card.images.logo)] : files;
}

function rolesOf({ type, images }: Card, { scheme, hasPosterGeneric }: NewLayouts): readonly ImageRole[] {
  const artwork: ImageRole[] = hasPosterGeneric ? ['artwork'] : [];
  if (scheme !== 'posterEventTicket') return [...STYLE_IMAGES[type], ...artwork];
  // Without a strip, the classic ticket shows the background. It is also the poster of a ticket without artwork.
  const classic = images.strip ? type : 'eventTicketBackground';
  return [...STYLE_IMAGES[classic], 'artwork', 'secondaryLogo', 'venueMap'];
}

function localizedBackgrounds(card: Card, languages: Iterable<string>): ImageFile[] {
  const folders = new Set([card.language, ...languages, ...Object.keys(card.localizedBackgrounds)]);
  return [...folders].flatMap((language) =>
    scales(`${language}.lproj/background`, own(card.localizedBackgrounds, language) ?? card.images.background),
  );
}

function scales(path: string, image: StoredImage | undefined): ImageFile[] {
  return Object.entries(image?.variants ?? {}).map(([scale, variant]) => ({
    name: `${path}${scale === '1' ? '' : `@${scale}x`}.png`,
    variant,
  }));
}

/** A built-in PNG, ready for a pass file. */
interface BuiltInImage {
  name: string;
  bytes: Uint8Array;
  /** Lowercase hexadecimal. */
  sha1: string;
  crc32: number;
}

/** A white card on slate gray, 38, 76 and 114 pixels a side, four colors. */
const PNG_BASE64 = {
  'icon.png':
    'iVBORw0KGgoAAAANSUhEUgAAACYAAAAmAgMAAADVUwE9AAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAAOUlEQVR42mNgoDPQWgUEDWDmfxD4AGIxgplfQEwmMPMHWBSkdNUSooxFUotkAplMJOcgORLZ6XQEAPfUT/zYRG7BAAAAAElFTkSuQmCC',
  'icon@2x.png':
    'iVBORw0KGgoAAAANSUhEUgAAAEwAAABMAgMAAAC6+bm4AAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAARklEQVR42mNgGAWDDjCuggEHuJj+fxj4ARfbDxf7B9f6HwFgmpmQxBpoJDY4gw8RgPQIg+Eihi0NYUtrWNMktrQ7CgYNAABU9zlxRMDikQAAAABJRU5ErkJggg==',
  'icon@3x.png':
    'iVBORw0KGgoAAAANSUhEUgAAAHIAAAByAgMAAADys23uAAAADFBMVEVKVWiGjprDxs3///9JkvsSAAAAb0lEQVR42mNgGAWjYBQMBsAaigzQJJn+o4AfqLLyqLL/HVBk69FkL6DIokn+/4DHWjSLmdFl/xAvy44u+3cwyDKGooGQ0XRJHsAfkoMz9kdlh7csJeUV/pIQfylKoATGX3rjL/nx1xqjYBSMggECAGcZsSXNf/pqAAAAAElFTkSuQmCC',
};

let icons: BuiltInImage[] | undefined;

/**
 * Returns the icon for templates without one. A pass file without an icon can't be installed (Apple, Wallet Passes).
 */
export function defaultIcons(): BuiltInImage[] {
  icons ??= Object.entries(PNG_BASE64).map(([name, base64]) => {
    const bytes = fromBase64(base64);
    return { name, bytes, sha1: hash('sha1', bytes), crc32: crc32(bytes) };
  });
  return icons;
}

/**
 * Files that all passes of a definition share: translations and images. Their digests and archive headers are computed
 * once.
 */
interface SharedFiles {
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
