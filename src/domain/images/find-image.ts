import { assetCache } from '../../platform/asset-cache.ts';
import { inspectImage } from '../../platform/images.ts';
import { Lru } from '../../platform/lru.ts';
import type { Context } from '../context.ts';
import type { ImageVariant, StoredImage } from './stored-image.ts';
import { isImageName, originalKey } from './stored-image.ts';

/**
 * Returns the original of a stored image with its content type (`httpMetadata`), for the URL `/images/<sha256>`. Null
 * if there is none. The image never changes, so a reply may be cached forever.
 */
export async function findImage(ctx: Context, sha256: string): Promise<R2ObjectBody | null> {
  return isImageName(sha256) ? ctx.env.FILES.get(originalKey(sha256)) : null;
}

type Asset = Uint8Array<ArrayBuffer>;

/** Returns the PNG bytes, synchronously if they are in memory. Don't modify them. Rejects if the bucket lost them. */
export function getAsset(ctx: Context, variant: ImageVariant): Asset | Promise<Asset> {
  const held = assetCache.held(variant.key);
  if (held) return held;
  return assetCache.get(variant.key, () => {
    const loading = getVariant(ctx, variant.key);
    // Other requests may share this load, so it must finish even if the request that started it is canceled.
    ctx.waitUntil(loading.catch(() => undefined));
    return loading;
  });
}

async function getVariant(ctx: Context, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await ctx.env.FILES.get(key);
  if (!object) throw new Error(`image ${key} is not in the bucket`);
  return new Uint8Array(await object.arrayBuffer());
}

const KNOWN_MAX = 1_000;
const known = new Lru<StoredImage>(KNOWN_MAX);

/** Returns the stored image at a URL of this service, without wallet variants; undefined for any other URL. */
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
