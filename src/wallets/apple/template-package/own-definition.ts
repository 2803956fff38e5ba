import * as z from 'zod';
import { checked } from '../../../domain/check.ts';
import { DomainError } from '../../../domain/errors.ts';
import { IMAGE_ROLES } from '../../../domain/images/stored-image.ts';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';
import { isRecord } from '../../../platform/json.ts';
import type { ZippedFile } from '../../../platform/unzip.ts';
import { readJson, type TemplatePackage } from './open-package.ts';
import { sourceOf } from './read-images.ts';
import type { Warnings } from './reading.ts';

/*
 * The complete definition of a template next to its pass.json: it has the rules, properties, e-mails and Google
 * features that Apple's format can't express. It is in a hidden folder, which tools that build passes from templates
 * ignore.
 */

export const OWN_FOLDER = '.pass-wallet-service';
export const OWN_FILE = `${OWN_FOLDER}/template.json`;
export const OWN_FORMAT = 1;
/** A row with a definition has at most 2 MB. Indentation doubles that. */
const OWN_BYTES_MAX = 4 * 1024 * 1024;

/** Content of `OWN_FILE`. */
const Own = z.object({
  format: z.literal(OWN_FORMAT),
  /** Language of the texts. */
  language: z.string(),
  /** In the format of the API. Each image is the path of a file in the archive, or empty if it didn't fit. */
  definition: z.record(z.string(), z.unknown()),
  /** Images whose original didn't fit into an archive that can be imported. */
  reduced: z.array(z.string()).max(100),
  /** Checksums of the other files, to detect changes. */
  files: z.record(z.string(), z.string()),
});
export type OwnTemplate = z.infer<typeof Own>;

/** Formats a CRC-32 for `files`. */
export function checksumText(crc32: number): string {
  return crc32.toString(16).padStart(8, '0');
}

/** Members that are meaningful only in the account that exported them. */
export const OF_ONE_ACCOUNT = ['userProvidedId', 'projectId', 'passTypeId'] as const;

/**
 * Returns the definition in the archive. Undefined if there is none, if it isn't valid, or if another file changed
 * after the export: then the other files are used.
 */
export function readOwn(
  archive: TemplatePackage,
  language: string,
  warnings: Warnings,
): TemplateDefinition | undefined {
  const file = archive.files.get(OWN_FILE);
  if (!file) return undefined;
  try {
    const own = checked(Own, readJson(file, OWN_BYTES_MAX));
    const changed = changedFiles(archive, own);
    if (changed.length > 0) {
      const shown = changed.slice(0, 5).join(', ');
      warnings.add(OWN_FILE, `not used, because these files changed after the export: ${shown}`);
      return undefined;
    }
    const definition = withImages(own, archive, warnings);
    for (const name of OF_ONE_ACCOUNT) delete definition[name];
    const valid = checked(TemplateDefinition, definition);
    for (const path of own.reduced) warnings.add(path, 'the original was too large for the archive');
    if (own.language !== language)
      warnings.add('language', `the texts are in "${own.language}", and your account’s language is "${language}"`);
    return valid;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
    warnings.add(OWN_FILE, `not used, because it is not valid: ${error.message.slice(0, 300)}`);
    return undefined;
  }
}

/** Files that define a template's appearance. Other files in the folder don't matter. */
const DESIGN_FILE = /^(?:[^/]+\.lproj\/)?[^/]+\.(?:json|strings|png|jpe?g)$/;

function changedFiles({ files }: TemplatePackage, own: OwnTemplate): string[] {
  const expected = new Map(Object.entries(own.files));
  const present = [...files].filter(([name]) => DESIGN_FILE.test(name) && !name.startsWith('.'));
  const differing = present.filter(([name, file]) => expected.get(name) !== checksumText(file.crc32));
  return [...differing.map(([name]) => name), ...[...expected.keys()].filter((name) => !files.has(name))];
}

/** Returns the definition with its images in base64. */
function withImages(own: OwnTemplate, { files }: TemplatePackage, warnings: Warnings) {
  const sources = new Map<string, string>();
  const load = (name: unknown, path: string): string | undefined => {
    if (typeof name !== 'string') return undefined;
    const known = sources.get(name);
    if (known !== undefined) return known;
    const file: ZippedFile | undefined = files.get(name);
    if (!file) warnings.add(path, 'the image is not in the archive; left out');
    const source = file && sourceOf(file, path);
    if (source) sources.set(name, source);
    return source;
  };
  const { images, google, ...rest } = own.definition;
  const definition: Record<string, unknown> = { ...rest };
  const given = isRecord(images) ? images : {};
  const loaded = IMAGE_ROLES.map((role) => [role, load(given[role], `images.${role}`) ?? null]);
  definition.images = { ...Object.fromEntries(loaded), perPassImages: given.perPassImages ?? {} };
  if (isRecord(google)) definition.google = googleWithImages(google, load);
  return definition;
}

type Load = (name: unknown, path: string) => string | undefined;

/** Loads the Google images. An image module without its image is left out. */
function googleWithImages(google: Record<string, unknown>, load: Load): Record<string, unknown> {
  const { wideLogo, imageModulesData, valueAddedModuleData, ...rest } = google;
  const wide = load(wideLogo, 'google.wideLogo');
  const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : undefined);
  const modules = listOf(imageModulesData)?.flatMap((module, i) => {
    const mainImage = load(module.mainImage, `google.imageModulesData.${i}.mainImage`);
    return mainImage ? [{ ...module, mainImage }] : [];
  });
  const valueAdded = listOf(valueAddedModuleData)?.map(({ image, ...module }, i) => {
    const source = load(image, `google.valueAddedModuleData.${i}.image`);
    return source ? { ...module, image: source } : module;
  });
  return {
    ...rest,
    ...(wide && { wideLogo: wide }),
    ...(modules && { imageModulesData: modules }),
    ...(valueAdded && { valueAddedModuleData: valueAdded }),
  };
}
