import { hash } from 'node:crypto';
import type { ImageVariant } from '../../domain/images/stored-image.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { machineNow } from '../../platform/clock.ts';
import { zipStore } from '../../platform/zip.ts';
import { manifestOf, sharedFiles } from './images.ts';
import { buildPassJson, type PassSigning } from './pass-json.ts';
import { type Signer, signManifest } from './signature.ts';

/** Limits of a bundle in Safari (Apple, Wallet Passes). */
const BUNDLE_FILES_MAX = 10;
const BUNDLE_BYTES_MAX = 150_000_000;

const encoder = new TextEncoder();

/**
 * Builds the signed pass file (`.pkpass`) of a card; `at` is its time. `getAsset` returns the bytes of a stored PNG;
 * all are loaded concurrently while the signature is created. Uses stored image hashes. Throws the errors of
 * `getAsset`, and if an asset differs from its stored length.
 */
export async function buildPassFile(
  card: Card,
  signing: PassSigning & { signer: Signer },
  getAsset: GetAsset,
  at = new Date(machineNow()),
): Promise<Uint8Array<ArrayBuffer>> {
  const pass = await buildPassJson(card, signing);
  const json = encoder.encode(JSON.stringify(pass));
  const layouts = { scheme: pass.preferredStyleSchemes?.[0], hasPosterGeneric: pass.posterGeneric !== undefined };
  const shared = sharedFiles(card, layouts);
  const manifest = manifestOf(shared, hash('sha1', json));
  // Loading starts before the signature occupies the processor.
  const loading = loadAll(shared.images, getAsset);
  const signed = signManifest(manifest, signing.signer, at);
  const [signature, images] =
    loading instanceof Promise ? await Promise.all([signed, loading]) : [await signed, loading];
  const contents = shared.contents.map((content) => (typeof content === 'number' ? images[content]! : content));
  return zipStore(
    [
      { name: 'pass.json', bytes: json },
      { name: 'manifest.json', bytes: manifest },
      { name: 'signature', bytes: signature },
    ],
    at,
    { ...shared.block, contents, before: 1 },
  );
}

type GetAsset = (variant: ImageVariant) => Uint8Array | Promise<Uint8Array>;

/** Loads images; synchronous if all of them are in memory. */
function loadAll(images: ImageVariant[], getAsset: GetAsset): Uint8Array[] | Promise<Uint8Array[]> {
  let areHeld = true;
  const all = images.map((variant) => {
    const load = loadWhole(variant, getAsset);
    if (load instanceof Promise) areHeld = false;
    return load;
  });
  return areHeld ? (all as Uint8Array[]) : Promise.all(all);
}

function loadWhole(variant: ImageVariant, getAsset: GetAsset): Uint8Array | Promise<Uint8Array> {
  const load = getAsset(variant);
  return load instanceof Promise ? load.then((bytes) => whole(variant, bytes)) : whole(variant, load);
}

function whole({ key, bytes: expected }: ImageVariant, bytes: Uint8Array): Uint8Array {
  if (bytes.length !== expected) throw new Error(`image ${key} has ${bytes.length} bytes, not ${expected}`);
  return bytes;
}

/**
 * Bundles pass files, which a device adds in one step. Throws a `RangeError` for none, more than ten, or more than 150
 * MB.
 */
export function bundlePassFiles(files: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  if (files.length === 0 || files.length > BUNDLE_FILES_MAX || bytes > BUNDLE_BYTES_MAX)
    throw new RangeError(`a bundle holds 1 to ${BUNDLE_FILES_MAX} pass files and at most ${BUNDLE_BYTES_MAX} bytes`);
  return zipStore(files.map((file, i) => ({ name: `pass-${i + 1}.pkpass`, bytes: file })));
}
