import { createHash } from 'node:crypto';
import { invalidField } from '../../../domain/errors.ts';
import { IMAGE_ROLES, type ImageRole } from '../../../domain/images/stored-image.ts';
import { toBase64 } from '../../../platform/crypto.ts';
import { IMAGE_BYTES_MAX } from '../../../platform/images.ts';
import type { ZippedFile } from '../../../platform/unzip.ts';
import { defaultIcons } from '../images.ts';
import { readFile, type TemplatePackage } from './open-package.ts';
import { baseLanguage } from './read-translations.ts';
import type { Warnings } from './reading.ts';

const IMAGE_FILE = /^(?:([^/]+)\.lproj\/)?([A-Za-z]+)(?:@([23])x)?\.(png|jpe?g)$/;

interface Found {
  role: ImageRole;
  /** Undefined at the top level. */
  language?: string;
  scale: number;
  file: ZippedFile;
}

function isRole(name: string): name is ImageRole {
  return (IMAGE_ROLES as readonly string[]).includes(name);
}

/** Known files other than images. */
const OTHER_FILES = /^(pass\.json|manifest\.json|signature|[^/]+\.lproj\/pass\.strings)$/;

/** Returns the largest image for each role, from the top level or else from the base language. */
export function findImages(
  { files }: TemplatePackage,
  language: string,
  warnings: Warnings,
): Map<ImageRole, ZippedFile> {
  const found: Found[] = [];
  for (const [name, file] of files) {
    const [, folder, role, scale = '1'] = IMAGE_FILE.exec(name) ?? [];
    if (role !== undefined && isRole(role))
      found.push({ role, language: folder?.replaceAll('_', '-'), scale: Number(scale), file });
    else if (!OTHER_FILES.test(name) && !name.startsWith('.'))
      warnings.add(name, 'is not a file that templates have; left out');
  }
  const images = new Map<ImageRole, ZippedFile>();
  for (const role of IMAGE_ROLES) {
    const ofRole = found.filter((one) => one.role === role);
    const folders = new Set(ofRole.flatMap((one) => one.language ?? []));
    // Wallet prefers top-level images in all languages.
    const isAtTop = ofRole.some((one) => one.language === undefined);
    const chosen = isAtTop ? undefined : (baseLanguage(folders, language) ?? [...folders][0]);
    const largest = ofRole
      .filter((one) => one.language === chosen)
      .reduce<Found | undefined>((best, one) => (best && best.scale >= one.scale ? best : one), undefined);
    if (largest) images.set(role, largest.file);
    const others = [...folders].filter((folder) => folder !== chosen);
    if (others.length > 0)
      warnings.add(role, `templates have one image for all languages; those in ${others.join(', ')} were left out`);
  }
  return images;
}

/**
 * Returns the member `images` of a definition. Without a logo there is none; without an icon, the account's is used.
 */
export function readImages(found: Map<ImageRole, ZippedFile>): Record<string, string | null> {
  const images: Record<string, string | null> = { logo: null };
  for (const [role, file] of found) images[role] = role === 'icon' && isDefaultIcon(file) ? null : sourceOf(file, role);
  return images;
}

/** Returns an image in base64, in the format of the API. Throws `invalid` if it is too large. */
export function sourceOf(file: ZippedFile, role: string): string {
  if (file.size > IMAGE_BYTES_MAX) throw invalidField(`images.${role}`, 'is larger than 5 MiB');
  return toBase64(readFile(file));
}

/** Returns whether a file is the icon that this service adds to passes without one. */
function isDefaultIcon(file: ZippedFile): boolean {
  const icons = defaultIcons();
  if (!icons.some(({ bytes }) => bytes.length === file.size)) return false;
  const sha1 = createHash('sha1').update(readFile(file)).digest('hex');
  return icons.some((icon) => icon.sha1 === sha1);
}
