import { mapConcurrent } from '../../../platform/concurrency.ts';
import type { Context } from '../../context.ts';
import { imageLoader } from '../../images/import-image.ts';
import type { StoredImage } from '../../images/stored-image.ts';
import type { Job } from '../../jobs.ts';
import { messageJobs, type NewMessage } from '../../messages/request-messages.ts';
import { schemeOf } from '../../templates/apple/schemes.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { Pass } from '../table.ts';
import {
  compact,
  type ImportError,
  type PassAppearance,
  type PassFields,
  type PendingImages,
} from '../values/pass-fields.ts';

/** Images of a pass that callers can set, by the field of each. */
export const PASS_IMAGE_FIELDS = {
  thumbnail: 'urlToThumbnail',
  background: 'urlToBackground',
  logo: 'urlToLogo',
} as const;
export type PassImageRole = keyof typeof PASS_IMAGE_FIELDS;
export const PASS_IMAGE_ROLES = Object.keys(PASS_IMAGE_FIELDS) as PassImageRole[];

/** Concurrent downloads of a pass's images: each may have 5 MiB, and their servers belong to others. */
export const IMPORTS_AT_A_TIME = 4;

/** How long an image is retried after temporary errors of its server. */
const TRIED_MS = 24 * 60 * 60_000;

/** Time for a job to import the images. After it, the cron sends another job. */
const IMPORT_MS = 2 * 60_000;

/** Whether a template allows a background per language. */
export function hasLocalizedBackgrounds({ images, translationsEnabled }: StoredDefinition): boolean {
  return images.perPassImages.background && translationsEnabled;
}

/**
 * Returns the images that these fields request and the template allows per pass; undefined if there are none.
 * Backgrounds by language also require the template's translations.
 */
export function pendingImages(definition: StoredDefinition, fields: PassFields): PendingImages | undefined {
  const { perPassImages } = definition.images;
  const wanted = PASS_IMAGE_ROLES.filter((role) => perPassImages[role] && fields[PASS_IMAGE_FIELDS[role]]);
  const languages = hasLocalizedBackgrounds(definition) ? Object.entries(fields.localizedBackgroundImages ?? {}) : [];
  const now = Date.now();
  return pendingOf({
    images: Object.fromEntries(wanted.map((role) => [role, fields[PASS_IMAGE_FIELDS[role]] as string])),
    localizedBackgrounds: Object.fromEntries(languages.filter((entry): entry is [string, string] => entry[1] !== null)),
    dueAt: now + IMPORT_MS,
    triedUntil: now + TRIED_MS,
  });
}

/** Whether an update removes the background of a language. Null for the whole field removes all of them. */
export function isRemoved({ localizedBackgroundImages: sent }: PassFields, language: string): boolean {
  return sent === null || sent?.[language] === null;
}

/** Returns the pending images after a partial update: sent fields replace the previous ones. */
export function pendingAfter(
  before: PendingImages = {},
  asked: PendingImages = {},
  fields: PassFields,
): PendingImages | undefined {
  const isSent = (role: string) => fields[PASS_IMAGE_FIELDS[role as PassImageRole]] !== undefined;
  const left = Object.entries(before.images ?? {}).filter(([role]) => !isSent(role));
  const languages = Object.entries(before.localizedBackgrounds ?? {}).filter(([name]) => !isRemoved(fields, name));
  return pendingOf({
    images: { ...Object.fromEntries(left), ...asked.images },
    localizedBackgrounds: { ...Object.fromEntries(languages), ...asked.localizedBackgrounds },
    ...(asked.dueAt === undefined ? timesOf(before) : timesOf(asked)),
  });
}

function pendingOf({ images = {}, localizedBackgrounds = {}, ...times }: PendingImages): PendingImages | undefined {
  const { length } = [...Object.keys(images), ...Object.keys(localizedBackgrounds)];
  return length > 0 ? { images, localizedBackgrounds, ...times } : undefined;
}

const timesOf = ({ dueAt, resumed, triedUntil }: PendingImages) => ({ dueAt, resumed, triedUntil });

/** Pending image of a pass, with its position there. */
export interface WantedImage {
  place: 'images' | 'localizedBackgrounds';
  name: string;
  url: string;
}

/** Image that is no longer pending: it was imported, or `message` is the reason why it can't be. */
export type TriedImage = WantedImage & ({ image: StoredImage } | { message: string });

export function wantedImages(pending: PendingImages): WantedImage[] {
  return (['images', 'localizedBackgrounds'] as const).flatMap((place) =>
    Object.entries(pending[place] ?? {}).map(([name, url]) => ({ place, name, url })),
  );
}

function fieldOf({ place, name }: WantedImage): string {
  return place === 'images' ? PASS_IMAGE_FIELDS[name as PassImageRole] : `localizedBackgroundImages.${name}`;
}

/** Imports one image. Throws `NotImportable` with the field. */
export async function importWanted(
  ctx: Context,
  wanted: WantedImage,
  definition: StoredDefinition,
  load = imageLoader(ctx),
): Promise<TriedImage> {
  const { place, name, url } = wanted;
  const role = place === 'images' ? (name as PassImageRole) : 'background';
  const looks = { type: definition.type, preferredStyleScheme: schemeOf(definition) };
  return { ...wanted, image: await load(url, role, looks, fieldOf(wanted)) };
}

/** Imports all images or none, with `load`. Throws `invalid` ("not importable") with the field. */
export async function importPassImages(
  ctx: Context,
  appearance: PassAppearance,
  definition: StoredDefinition,
  asked: PendingImages | undefined,
  load = imageLoader(ctx),
): Promise<PassAppearance> {
  if (!asked) return appearance;
  const importOne = (wanted: WantedImage) => importWanted(ctx, wanted, definition, load);
  return withImages(appearance, await mapConcurrent(wantedImages(asked), IMPORTS_AT_A_TIME, importOne));
}

/** Applies imported images, except those that are no longer pending with the same URL. */
export function withImages(appearance: PassAppearance, tried: TriedImage[], now = Date.now()): PassAppearance {
  const after = structuredClone(appearance);
  const pending: Record<WantedImage['place'], Record<string, string>> = {
    images: {},
    localizedBackgrounds: {},
    ...after.pendingImages,
  };
  const errors: ImportError[] = [];
  for (const one of tried) {
    const { place, name, url } = one;
    if (pending[place][name] !== url) continue;
    delete pending[place][name];
    if ('image' in one) after[place] = { ...after[place], [name]: one.image };
    else errors.push({ field: fieldOf(one), url, message: one.message, at: now });
  }
  const importErrors = errors.length > 0 ? [...(after.importErrors ?? []), ...errors] : after.importErrors;
  return compact({ ...after, importErrors, pendingImages: pendingOf({ ...after.pendingImages, ...pending }) });
}

/** Returns the jobs that a written pass still needs. `asked` are the images that the write requests. */
export function passJobs(
  { id, accountId }: Pick<Pass, 'id' | 'accountId'>,
  asked: PendingImages | undefined,
  messages: NewMessage[],
): Job[] {
  const images: Job[] = asked ? [{ type: 'import-pass-images', accountId, passId: id }] : [];
  return [...images, ...messageJobs(accountId, messages)];
}
