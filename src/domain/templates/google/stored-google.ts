import type { AccountContext } from '../../context.ts';
import type { BoxedType } from '../../images/image-boxes.ts';
import type { ImageLoader } from '../../images/import-image.ts';
import { originalKey } from '../../images/stored-image.ts';
import type { GoogleInput } from './input.ts';
import { type GoogleImage, mapImages, type StoredGoogle, withoutNulls } from './members.ts';

interface Origin {
  type: BoxedType;
  /** Members that are replaced. */
  before?: StoredGoogle;
  load: ImageLoader;
}

/**
 * Converts the members to their stored form: images imported, nulls left out; undefined if nothing remains. Existing
 * images aren't read again. Throws `invalid` for an image that can't be imported.
 */
export async function storedGoogle(
  ctx: AccountContext,
  google: GoogleInput | null | undefined,
  { type, before, load }: Origin,
): Promise<StoredGoogle | undefined> {
  if (!google) return undefined;
  const kept = new Map<string, GoogleImage>();
  if (before) mapImages(before, (image) => kept.set(`${ctx.baseUrl}/${originalKey(image.sha256)}`, image));
  const imports: Promise<[path: string, image: GoogleImage]>[] = [];
  mapImages(google, (source, path) => imports.push(importOne(source, path)));
  const imported = new Map(await Promise.all(imports));
  const stored = withoutNulls(mapImages(google, (_, path) => imported.get(path)!));
  return Object.keys(stored).length > 0 ? stored : undefined;

  async function importOne(source: string, path: string): Promise<[string, GoogleImage]> {
    const known = kept.get(source);
    if (known) return [path, known];
    // Google gets the original; drawing it proves that it is an image.
    const role = path === 'wideLogo' ? 'logo' : 'thumbnail';
    const { sha256, width, height } = await load(source, role, { type }, `google.${path}`);
    return [path, { sha256, width, height }];
  }
}
