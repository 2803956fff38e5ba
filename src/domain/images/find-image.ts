import { assetCache } from '../../platform/asset-cache.ts';
import type { Context } from '../context.ts';
import { isImageName, originalKey } from './image-keys.ts';
import type { ImageVariant } from './stored-image.ts';

/**
 * The original of a stored image with its content type (`httpMetadata`), for the public address `/images/<sha256>`.
 * Null when there is none. It never changes, so a reply may be cached for good.
 */
export async function findImage(ctx: Context, sha256: string): Promise<R2ObjectBody | null> {
  return isImageName(sha256) ? ctx.env.FILES.get(originalKey(sha256)) : null;
}

/**
 * The PNG bytes of a variant, from this isolate's memory when it has them. They are shared: nobody may write to them.
 * Throws when the bucket has lost them.
 */
export function getAsset(ctx: Context, variant: ImageVariant): Promise<Uint8Array<ArrayBuffer>> {
  return assetCache.get(variant.key, () => {
    const loading = getVariant(ctx, variant.key);
    // Other requests may share this load: it has to end even when the one that began it is cancelled.
    ctx.waitUntil(loading.catch(() => undefined));
    return loading;
  });
}

async function getVariant(ctx: Context, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await ctx.env.FILES.get(key);
  if (!object) throw new Error(`image ${key} is not in the bucket`);
  return new Uint8Array(await object.arrayBuffer());
}
