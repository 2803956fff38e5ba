import type { Context } from '../context.ts';
import { importImage } from '../images/import-image.ts';
import type { StoredImage } from '../images/stored-image.ts';
import type { Job } from '../jobs.ts';
import { messageJobs, type NewMessage } from '../messages/request-messages.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import type { PassAppearance, PassFields, PendingImages } from './pass-fields.ts';

/** Images of a pass that a caller can give, and the field that names each. */
export const PASS_IMAGE_FIELDS = {
  thumbnail: 'urlToThumbnail',
  background: 'urlToBackground',
  logo: 'urlToLogo',
} as const;
export type PassImageRole = keyof typeof PASS_IMAGE_FIELDS;
export const PASS_IMAGE_ROLES = Object.keys(PASS_IMAGE_FIELDS) as PassImageRole[];

/**
 * The images that these fields ask for, as far as the template takes images per pass; undefined when there are none. A background by language also needs
 * the template's translations (specification, `localizedBackgroundImages`).
 */
export function pendingImages(definition: StoredDefinition, fields: PassFields): PendingImages | undefined {
  const { perPassImages } = definition.images;
  const wanted = PASS_IMAGE_ROLES.filter((role) => perPassImages[role] && fields[PASS_IMAGE_FIELDS[role]]);
  const images = Object.fromEntries(wanted.map((role) => [role, fields[PASS_IMAGE_FIELDS[role]] as string]));
  const localized = fields.localizedBackgroundImages ?? {};
  const localizes = perPassImages.background && definition.translationsEnabled && Object.keys(localized).length > 0;
  if (wanted.length === 0 && !localizes) return undefined;
  return { images, ...(localizes ? { localizedBackgrounds: localized } : {}) };
}

/** Imports what is pending of an appearance. Throws `invalid` ("not importable") naming the field; returns the appearance with nothing pending. */
export async function importPassImages(
  ctx: Context,
  appearance: PassAppearance,
  definition: StoredDefinition,
): Promise<PassAppearance> {
  const { pendingImages: pending, ...rest } = appearance;
  if (!pending) return appearance;
  const { type, preferredStyleScheme } = definition;
  const load = (url: string, role: PassImageRole, field: string) =>
    importImage(ctx, url, role, type, field, preferredStyleScheme);
  const entries = Object.entries(pending.images ?? {}) as [PassImageRole, string][];
  const localized = Object.entries(pending.localizedBackgrounds ?? {});
  const [images, backgrounds] = await Promise.all([
    Promise.all(entries.map(async ([role, url]) => [role, await load(url, role, PASS_IMAGE_FIELDS[role])] as const)),
    Promise.all(
      localized.map(
        async ([language, url]) =>
          [language, await load(url, 'background', `localizedBackgroundImages.${language}`)] as const,
      ),
    ),
  ]);
  return {
    ...rest,
    images: { ...rest.images, ...(Object.fromEntries(images) as Partial<Record<PassImageRole, StoredImage>>) },
    ...(localized.length > 0 ? { localizedBackgrounds: Object.fromEntries(backgrounds) } : {}),
  };
}

/** The jobs that a written pass still needs, `messages` among them. */
export function followUps(pass: { id: string; appearance: PassAppearance }, messages: NewMessage[] = []): Job[] {
  const images: Job[] = pass.appearance.pendingImages ? [{ type: 'import-pass-images', passId: pass.id }] : [];
  return [...images, ...messageJobs(messages)];
}
