import type * as z from 'zod';
import type { AccountContext } from '../../context.ts';
import type { BoxedType } from '../../images/image-boxes.ts';
import type { ImageLoader } from '../../images/import-image.ts';
import { originalKey } from '../../images/stored-image.ts';
import { PERSONAL_PLACEHOLDERS } from '../personal-placeholders.ts';
import type { Refuse } from '../refuse.ts';
import type { GoogleInput, ValueAddedModule } from './input.ts';

type ValueAddedInput = z.infer<typeof ValueAddedModule>;

/** Google members with images in another form. Null members are absent. */
export type GoogleMembers<Image> = Omit<GoogleInput, 'wideLogo' | 'imageModulesData' | 'valueAddedModuleData'> & {
  wideLogo?: Image | null;
  imageModulesData?: { id?: string | null; mainImage: Image }[] | null;
  valueAddedModuleData?: (Omit<ValueAddedInput, 'image'> & { image?: Image | null })[] | null;
};

/** Image of our store as Google downloads it, with the original's size in pixels. */
export interface GoogleImage {
  sha256: string;
  width: number;
  height: number;
}

/** Stored Google members; on a card, with their placeholders filled. */
export type StoredGoogle = GoogleMembers<GoogleImage>;

/** Returns the members with each image replaced. `path` is its path in errors. */
export function mapImages<A, B>(google: GoogleMembers<A>, change: (image: A, path: string) => B): GoogleMembers<B> {
  const { wideLogo, imageModulesData, valueAddedModuleData, ...rest } = google;
  return {
    ...rest,
    ...(wideLogo && { wideLogo: change(wideLogo, 'wideLogo') }),
    ...(imageModulesData && {
      imageModulesData: imageModulesData.map((module, i) => ({
        ...module,
        mainImage: change(module.mainImage, `imageModulesData.${i}.mainImage`),
      })),
    }),
    ...(valueAddedModuleData && {
      valueAddedModuleData: valueAddedModuleData.map(({ image, ...module }, i) => ({
        ...module,
        ...(image && { image: change(image, `valueAddedModuleData.${i}.image`) }),
      })),
    }),
  };
}

/** Returns a copy without null and undefined members, so that only sent members are stored. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, part]) => part != null);
  return Object.fromEntries(members.map(([name, part]) => [name, withoutNulls(part)])) as T;
}

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

interface Described {
  google?: GoogleInput | null;
  additionalProperties: { id?: string | null; name: string; personal?: boolean }[];
  translations: Record<string, Record<string, string>>;
}

/**
 * Refuses personal placeholders in texts of a Google class: passes share it, Google keeps it, and erasing one pass
 * can't change it. Translations count too.
 */
export function refusePersonalClassTexts(
  { google, additionalProperties, translations }: Described,
  refuse: Refuse,
): void {
  const { venue, dateTime } = google ?? {};
  const isPersonal = (name: string) => {
    const property = additionalProperties.find((one) => one.id === name || one.name === name);
    return property ? property.personal === true : PERSONAL_PLACEHOLDERS.has(name);
  };
  for (const [member, texts] of Object.entries({ venue, dateTime })) {
    for (const [name, text] of Object.entries(texts ?? {})) {
      if (!text) continue;
      const written = [
        text,
        ...Object.values(translations).flatMap((one) => (Object.hasOwn(one, text) ? one[text]! : [])),
      ];
      const names = written.flatMap((one) => [...one.matchAll(/\{([^{}]+)\}/g)].map(([, inner]) => inner!.trim()));
      const found = names.find(isPersonal);
      if (found)
        refuse(['google', member, name], `can't hold personal data such as {${found}}, because passes share it`);
    }
  }
}
