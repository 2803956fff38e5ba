import type * as z from 'zod';
import type { GoogleInput, ValueAddedModule } from './input.ts';

type ValueAddedInput = z.infer<typeof ValueAddedModule>;

/** The same with images of another form; members that were null are absent. */
export type GoogleMembers<Image> = Omit<GoogleInput, 'wideLogo' | 'imageModulesData' | 'valueAddedModuleData'> & {
  wideLogo?: Image | null;
  imageModulesData?: { id?: string | null; mainImage: Image }[] | null;
  valueAddedModuleData?: (Omit<ValueAddedInput, 'image'> & { image?: Image | null })[] | null;
};

/** An image of ours as Google fetches it; its pixels are those of the original. */
export interface GoogleImage {
  sha256: string;
  width: number;
  height: number;
}

/** At rest, and on a card with its placeholders filled. */
export type StoredGoogle = GoogleMembers<GoogleImage>;

/** The members with each image replaced; `path` is its place within them, as errors name it. */
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

/** A copy without members that are null or undefined: only what was sent is stored. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, part]) => part != null);
  return Object.fromEntries(members.map(([name, part]) => [name, withoutNulls(part)])) as T;
}
