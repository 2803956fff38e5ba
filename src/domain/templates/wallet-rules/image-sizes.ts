import { isRecord } from '../../../platform/json.ts';
import type { AccountContext } from '../../context.ts';
import { measureImage } from '../../images/measure-image.ts';
import { IMAGE_ROLES } from '../../images/stored-image.ts';
import type { StoredDefinition } from '../definition.ts';
import { imageUrl } from '../describe-template.ts';

interface Size {
  width: number;
  height: number;
}

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
