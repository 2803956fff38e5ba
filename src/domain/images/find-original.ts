import { inspectImage } from '../../platform/images.ts';
import { Lru } from '../../platform/lru.ts';
import type { Context } from '../context.ts';
import { findImage } from './find-image.ts';
import { isImageName, originalKey } from './image-keys.ts';
import type { StoredImage } from './stored-image.ts';

const KNOWN_MAX = 1_000;
/** Originals never change. */
const known = new Lru<StoredImage>(KNOWN_MAX);

/**
 * The image of our store that an address names, enough to draw it on a page: without variants for wallets. Undefined
 * for any other address.
 */
export async function findOriginal(ctx: Context, url: string): Promise<StoredImage | undefined> {
  const own = `${ctx.baseUrl}/${originalKey('')}`;
  const sha256 = url.startsWith(own) ? url.slice(own.length) : '';
  if (!isImageName(sha256)) return undefined;
  const held = known.get(sha256);
  if (held) return held;
  const object = await findImage(ctx, sha256);
  if (!object) return undefined;
  const { width, height } = inspectImage(new Uint8Array(await object.arrayBuffer()));
  const image: StoredImage = { sha256, width, height, variants: {} };
  known.set(sha256, image);
  return image;
}
