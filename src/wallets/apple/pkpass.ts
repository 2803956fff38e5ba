import { hash } from 'node:crypto';
import type { ImageVariant } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { machineNow } from '../../platform/clock.ts';
import { type ZipEntry, zipStore } from '../../platform/zip.ts';
import { defaultIcons, imageFiles } from './images.ts';
import { buildPassJson, type PassSigning } from './pass-json.ts';
import { type Signer, signManifest } from './signature.ts';
import { passStrings } from './strings.ts';

/** What Safari opens at once (Apple, Wallet Passes). */
const BUNDLE_FILES_MAX = 10;
const BUNDLE_BYTES_MAX = 150_000_000;

const encoder = new TextEncoder();

/**
 * The signed pass file (`.pkpass`) of a card; `at` is its time. `getAsset` returns the bytes of a stored PNG and runs
 * for all of them at once, while the signature is made. Stored image hashes are used, never computed. Throws what
 * `getAsset` throws, and when an asset differs from its stored length.
 */
export async function buildPassFile(
  card: Card,
  signing: PassSigning & { signer: Signer },
  getAsset: (variant: ImageVariant) => Promise<Uint8Array>,
  at = new Date(machineNow()),
): Promise<Uint8Array<ArrayBuffer>> {
  const pass = await buildPassJson(card, signing);
  const texts: ZipEntry[] = [{ name: 'pass.json', bytes: encoder.encode(JSON.stringify(pass)) }];
  const strings = passStrings(card);
  for (const [language, bytes] of strings) texts.push({ name: `${language}.lproj/pass.strings`, bytes });
  const layouts = { scheme: pass.preferredStyleSchemes?.[0], hasPosterGeneric: pass.posterGeneric !== undefined };
  const images = imageFiles(card, strings.keys(), layouts);
  const icons = images.some(({ name }) => name.startsWith('icon')) ? [] : defaultIcons();

  const digests: Record<string, string> = {};
  for (const { name, bytes } of texts) digests[name] = hash('sha1', bytes);
  for (const { name, sha1 } of icons) digests[name] = sha1;
  for (const { name, variant } of images) digests[name] = variant.sha1;
  const manifest = encoder.encode(JSON.stringify(digests));

  const load = loadOnce(getAsset);
  const [signature, assets] = await Promise.all([
    signManifest(manifest, signing.signer, at),
    Promise.all(
      images.map(async ({ name, variant }) => ({
        name,
        bytes: await load(variant),
        crc32: variant.crc32,
      })),
    ),
  ]);
  return zipStore(
    [
      ...texts,
      ...icons,
      ...assets,
      { name: 'manifest.json', bytes: manifest },
      { name: 'signature', bytes: signature },
    ],
    at,
  );
}

/** One image can stand in a pass file under several names. */
function loadOnce(
  getAsset: (variant: ImageVariant) => Promise<Uint8Array>,
): (variant: ImageVariant) => Promise<Uint8Array> {
  const loads = new Map<string, Promise<Uint8Array>>();
  return (variant) => {
    const load = loads.get(variant.key) ?? loadWhole(variant, getAsset);
    loads.set(variant.key, load);
    return load;
  };
}

async function loadWhole(
  variant: ImageVariant,
  getAsset: (variant: ImageVariant) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const bytes = await getAsset(variant);
  if (bytes.length !== variant.bytes)
    throw new Error(`image ${variant.key} has ${bytes.length} bytes, not ${variant.bytes}`);
  return bytes;
}

/** Added by a device in one step. Throws a `RangeError` for none, more than ten, and beyond 150 MB. */
export function bundlePassFiles(files: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  if (files.length === 0 || files.length > BUNDLE_FILES_MAX || bytes > BUNDLE_BYTES_MAX)
    throw new RangeError(`a bundle holds 1 to ${BUNDLE_FILES_MAX} pass files and at most ${BUNDLE_BYTES_MAX} bytes`);
  return zipStore(files.map((file, i) => ({ name: `pass-${i + 1}.pkpass`, bytes: file })));
}
