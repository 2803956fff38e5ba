import { crc32 } from 'node:zlib';
import { recordView } from '../../../domain/audit/record-action.ts';
import type { AccountContext } from '../../../domain/context.ts';
import { getAsset } from '../../../domain/images/find-image.ts';
import { IMAGE_ROLES, originalKey, type StoredImage } from '../../../domain/images/stored-image.ts';
import { IMPORT_BYTES_MAX } from '../../../domain/limits.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import { getTemplate } from '../../../domain/templates/get-template.ts';
import { mapImages } from '../../../domain/templates/google/members.ts';
import { type ZipEntry, zipStore } from '../../../platform/zip.ts';
import { defaultIcons } from '../images.ts';
import { passStrings } from '../strings.ts';
import { checksumText, OF_ONE_ACCOUNT, OWN_FILE, OWN_FOLDER, OWN_FORMAT, type OwnTemplate } from './own-definition.ts';
import { templateJson, translatedTexts } from './template-json.ts';

/** The ZIP of a template's folder. */
export interface PackedTemplate {
  /** Name of the template, valid as a file name, without an extension. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
/** For file names and the archive's directory. */
const BYTES_PER_FILE = 400;
const FILE_NAME_CHARS_MAX = 60;

/** Packs a template: the files of Apple's format, then its complete definition with the original images. */
export async function packTemplate(ctx: AccountContext, definition: StoredDefinition): Promise<PackedTemplate> {
  const files = await appleFiles(ctx, definition);
  const { own, originals } = await ownFiles(ctx, definition, files);
  const name = fileName(definition.name);
  const entries = [...files, { name: OWN_FILE, bytes: encoder.encode(JSON.stringify(own, null, 2)) }, ...originals];
  return {
    name,
    bytes: zipStore(entries.map((entry) => ({ ...entry, name: `${name}.pkpasstemplate/${entry.name}` }))),
  };
}

/**
 * Returns a file name with letters and digits of any script. Replaces characters with a hyphen that systems refuse in
 * names or read as part of a path.
 */
export function fileName(name: string): string {
  const safe = [...name.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '-')].slice(0, FILE_NAME_CHARS_MAX);
  const isEdge = (character: string | undefined) => character !== undefined && ' .-'.includes(character);
  while (isEdge(safe[0])) safe.shift();
  while (isEdge(safe.at(-1))) safe.pop();
  return safe.join('') || 'template';
}

/** Returns pass.json of a template and its translations. */
export function appleTexts(definition: StoredDefinition, home: { language: string; timezone: string }): ZipEntry[] {
  const pass = templateJson(definition, home);
  const files: ZipEntry[] = [{ name: 'pass.json', bytes: encoder.encode(JSON.stringify(pass, null, 2)) }];
  const strings = passStrings(translatedTexts(definition, home));
  for (const [language, bytes] of strings) files.push({ name: `${language}.lproj/pass.strings`, bytes });
  return files;
}

async function appleFiles(ctx: AccountContext, definition: StoredDefinition): Promise<ZipEntry[]> {
  const files = appleTexts(definition, ctx.account);
  const variants = IMAGE_ROLES.flatMap((role) =>
    scalesOf(definition.images[role]).map(([scale, variant]) => ({ name: scaledName(role, scale), variant })),
  );
  const images = variants.map(async ({ name, variant }) => {
    return { name, bytes: await getAsset(ctx, variant), crc32: variant.crc32 };
  });
  // Wallet and its tools reject a pass without an icon.
  const icons = definition.images.icon ? [] : defaultIcons();
  return [...files, ...icons.map(({ name, bytes }) => ({ name, bytes })), ...(await Promise.all(images))];
}

function scalesOf(image: StoredImage | undefined) {
  return Object.entries(image?.variants ?? {});
}

function scaledName(role: string, scale: string): string {
  return `${role}${scale === '1' ? '' : `@${scale}x`}.png`;
}

/**
 * Returns the complete definition and as many originals as fit into an archive that can be imported, smallest first.
 */
async function ownFiles(ctx: AccountContext, definition: StoredDefinition, files: ZipEntry[]) {
  const stored = imagesOf(definition);
  const budget = {
    left: IMPORT_BYTES_MAX - sizeOf(files) - JSON.stringify(definition).length * 2 - 16 * BYTES_PER_FILE,
  };
  const originals = await readOriginals(ctx, [...new Set(stored.map(({ sha256 }) => sha256))], budget);
  const reduced: string[] = [];
  const nameOf = (sha256: string, path: string, instead = '') => {
    if (originals.has(sha256)) return originalName(sha256);
    reduced.push(path);
    return instead;
  };
  const images = IMAGE_ROLES.flatMap((role) => {
    const image = definition.images[role];
    const largest = scalesOf(image).at(-1)?.[0];
    return image ? [[role, nameOf(image.sha256, `images.${role}`, largest && scaledName(role, largest))]] : [];
  });
  const google =
    definition.google && mapImages(definition.google, ({ sha256 }, path) => nameOf(sha256, `google.${path}`));
  const { passFunctionality } = definition;
  const own: OwnTemplate = {
    format: OWN_FORMAT,
    language: ctx.account.language,
    definition: {
      ...definition,
      ...Object.fromEntries(OF_ONE_ACCOUNT.map((name) => [name, null])),
      passFunctionality: passFunctionality && { ...passFunctionality, tiers: [] },
      images: { ...Object.fromEntries(images), perPassImages: definition.images.perPassImages },
      ...(google && { google }),
    },
    reduced,
    files: Object.fromEntries(files.map(({ name, bytes }) => [name, checksumText(crc32(bytes))])),
  };
  return { own, originals: [...originals].map(([sha256, bytes]) => ({ name: originalName(sha256), bytes })) };
}

function originalName(sha256: string): string {
  return `${OWN_FOLDER}/images/${sha256}`;
}

function imagesOf({ images, google }: StoredDefinition): { sha256: string }[] {
  const found: { sha256: string }[] = IMAGE_ROLES.flatMap((role) => images[role] ?? []);
  if (google) mapImages(google, (image) => found.push(image));
  return found;
}

function sizeOf(files: ZipEntry[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length + BYTES_PER_FILE, 0);
}

async function readOriginals(
  { env }: AccountContext,
  names: string[],
  budget: { left: number },
): Promise<Map<string, Uint8Array>> {
  const heads = await Promise.all(
    names.map(async (sha256) => ({ sha256, head: await env.FILES.head(originalKey(sha256)) })),
  );
  const sizes = heads.flatMap(({ sha256, head }) => (head ? [{ sha256, size: head.size }] : []));
  const chosen = sizes
    .toSorted((a, b) => a.size - b.size)
    .filter(({ size }) => {
      const fits = size + BYTES_PER_FILE <= budget.left;
      if (fits) budget.left -= size + BYTES_PER_FILE;
      return fits;
    });
  const read = chosen.map(async ({ sha256 }) => {
    const object = await env.FILES.get(originalKey(sha256));
    if (!object) throw new Error(`image ${sha256} is not in the bucket`);
    return [sha256, new Uint8Array(await object.arrayBuffer())] as const;
  });
  return new Map(await Promise.all(read));
}

/** Returns the archive of a template, with a file name that all systems accept. */
export function archiveReply({ name, bytes }: PackedTemplate): Response {
  const ascii = name.replace(/[^\x20-\x7e]/g, '-');
  const named = `filename="${ascii}.pkpasstemplate.zip"; filename*=UTF-8''${encodeURIComponent(name)}.pkpasstemplate.zip`;
  return new Response(bytes, {
    headers: {
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; ${named}`,
      'Cache-Control': 'no-store',
    },
  });
}

/**
 * Returns a template's newest definition as the ZIP of a `.pkpasstemplate` folder, and records the export in the audit
 * log. Throws `not_found`.
 */
export async function exportTemplate(ctx: AccountContext, id: string): Promise<PackedTemplate> {
  const { template, definition } = await getTemplate(ctx, id);
  const packed = await packTemplate(ctx, definition);
  const target = { type: 'template', id: template.id, name: template.name };
  await recordView(ctx, { action: 'template.export', target });
  return packed;
}
