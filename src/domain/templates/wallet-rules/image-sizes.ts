import { ImageError, inspectImage, type Size } from '../../../platform/images.ts';
import { isRecord } from '../../../platform/json.ts';
import type { AccountContext, Context } from '../../context.ts';
import { findOriginal } from '../../images/find-image.ts';
import { decodeBase64, isUrl } from '../../images/import-image.ts';
import { IMAGE_ROLES } from '../../images/stored-image.ts';
import type { StoredDefinition } from '../definition.ts';
import { imageUrl } from '../stored-definition.ts';

/** Sizes of images in pixels, by their sources in a definition. Those at other addresses are unknown. */
export type ImageSizes = ReadonlyMap<string, Size>;

/** Returns the size of an image that is a source, or stored; undefined if it is unknown. */
export function sizeIn(sizes: ImageSizes, image: unknown): Size | undefined {
  if (typeof image === 'string') return sizes.get(image);
  return isRecord(image) && image.width && image.height ? (image as unknown as Size) : undefined;
}

/** Images that rules about sizes are about. */
const MEASURED = ['icon', 'logo', 'strip', 'background'];

/** Returns the sizes of a stored definition's images, by their URLs. */
function storedSizes(ctx: AccountContext, { images, google }: StoredDefinition): [url: string, size: Size][] {
  const stored = [...IMAGE_ROLES.map((role) => images[role]), google?.wideLogo];
  return stored.flatMap((image) => (image ? [[imageUrl(ctx.baseUrl, image.sha256), image]] : []));
}

/**
 * Returns the sizes of images of a definition, which can be invalid: of base64 texts, and of images in our store.
 * Downloads nothing from other addresses, and reads no images that `saved` has.
 */
export async function imageSizes(
  ctx: AccountContext,
  definition: unknown,
  saved?: StoredDefinition,
): Promise<ImageSizes> {
  const { images, google } = isRecord(definition) ? definition : {};
  const sources = new Set<unknown>(isRecord(images) ? MEASURED.map((role) => images[role]) : []);
  if (isRecord(google)) sources.add(google.wideLogo);
  const sizes = new Map(saved && storedSizes(ctx, saved));
  for (const source of sources) {
    // One after the other: each can take 5 MiB of memory.
    if (typeof source !== 'string' || sizes.has(source)) continue;
    const size = await measureImage(ctx, source);
    if (size) sizes.set(source, size);
  }
  return sizes;
}

/**
 * Returns the size in pixels of an image that needs no download: base64, or the URL of our store. Undefined for other
 * URLs, and for a text that isn't an image.
 */
export async function measureImage(ctx: Context, source: string): Promise<Size | undefined> {
  if (isUrl(source)) return findOriginal(ctx, source);
  try {
    return inspectImage(decodeBase64(source));
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}
