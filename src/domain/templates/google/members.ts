import type * as z from 'zod';
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
