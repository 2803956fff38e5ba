import { createHash } from 'node:crypto';
import { DomainError, invalid } from '../../../domain/errors.ts';
import {
  hasTooManyParts,
  isRecord,
  isTooDeep,
  LEVELS_MAX,
  PARTS_MAX,
  parseWellFormed,
} from '../../../platform/json.ts';
import { openZip, ZipError, type ZippedFile } from '../../../platform/unzip.ts';
import type { Warnings } from './reading.ts';

const MIB = 1024 * 1024;
/** An isolate has 128 MiB of memory, and images are also held in base64. */
const LIMITS = { files: 1_000, fileBytes: 8 * MIB, totalBytes: 24 * MIB };
const JSON_BYTES_MAX = MIB;

/** The files of a template or pass, by their paths in its folder. */
export interface TemplatePackage {
  /** Name of its folder, without extension; undefined without a folder. */
  folder?: string;
  files: ReadonlyMap<string, ZippedFile>;
}

/** Files that macOS and editors leave in folders. */
const LITTER = /(^|\/)(__MACOSX|\.DS_Store|\._[^/]*|Thumbs\.db)(\/|$)/;

/** Opens an archive with a template or a pass, which may be in a folder. Throws `invalid`. */
export function openPackage(bytes: Uint8Array): TemplatePackage {
  const files = unzip(bytes).filter(({ name }) => !LITTER.test(name));
  const folders = files.flatMap(({ name }) => /^(?:([^/]+)\/)?pass\.json$/.exec(name)?.[1] ?? []);
  const isFlat = files.some(({ name }) => name === 'pass.json');
  if (!isFlat && folders.length === 0) throw invalid(missing(files));
  if (!isFlat && folders.length > 1) throw invalid('The archive has several templates; import one at a time');
  const prefix = isFlat ? '' : `${folders[0]}/`;
  const inside = files.filter(({ name }) => name.startsWith(prefix));
  return {
    folder: isFlat ? undefined : folders[0]!.replace(/\.(pkpasstemplate|pkpass|pass|raw)$/i, ''),
    files: new Map(inside.map((file) => [file.name.slice(prefix.length), file])),
  };
}

function missing(files: ZippedFile[]): string {
  if (files.some(({ name }) => name.endsWith('.pkpass')))
    return 'The archive is a bundle of passes; import one of its .pkpass files';
  return 'The archive has no pass.json, neither at the top nor in one folder';
}

function unzip(bytes: Uint8Array): ZippedFile[] {
  return refusingBroken(() => openZip(bytes, LIMITS));
}

/** Unpacks a file. Throws `invalid` if it is damaged. */
export function readFile(file: ZippedFile): Uint8Array {
  return refusingBroken(file.read);
}

function refusingBroken<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ZipError) throw invalid(`The archive cannot be imported: ${error.message}`);
    throw error;
  }
}

/** Returns the object in pass.json. Throws `invalid`. */
export function readPassJson({ files }: TemplatePackage): Record<string, unknown> {
  return readJson(files.get('pass.json')!);
}

/** Returns the object in a JSON file. Throws `invalid`, also for one that would take many times its size in memory. */
export function readJson(file: ZippedFile, bytesMax = JSON_BYTES_MAX): Record<string, unknown> {
  if (file.size > bytesMax) throw invalid(`${file.name} is larger than ${bytesMax / MIB} MiB`);
  const raw = new TextDecoder().decode(readFile(file));
  if (hasTooManyParts(raw)) throw invalid(`${file.name} has more than ${PARTS_MAX} objects and arrays`);
  const value = parsed(raw, file.name);
  if (!isRecord(value)) throw invalid(`${file.name} must hold a JSON object`);
  if (isTooDeep(value, raw)) throw invalid(`${file.name} has more than ${LEVELS_MAX} levels`);
  return value;
}

function parsed(raw: string, name: string): unknown {
  try {
    return parseWellFormed(raw);
  } catch {
    throw invalid(`${name} is not valid JSON`);
  }
}

/**
 * Compares the files of a pass with its manifest. The importer vouches for the pass and nothing of it is signed again,
 * so a difference is only a warning. Ignores the signature.
 */
export function checkManifest({ files }: TemplatePackage, used: Iterable<string>, warnings: Warnings): void {
  const file = files.get('manifest.json');
  if (!file) return;
  const expected = digestsIn(file);
  if (!expected) {
    warnings.add('manifest.json', 'cannot be read');
    return;
  }
  const changed = [...used].filter((name) => {
    const digest = Object.hasOwn(expected, name) ? expected[name] : undefined;
    return (
      digest !==
      createHash('sha1')
        .update(readFile(files.get(name)!))
        .digest('hex')
    );
  });
  if (changed.length > 0)
    warnings.add('manifest.json', `the pass was changed after it was signed: ${changed.slice(0, 5).join(', ')}`);
}

function digestsIn(file: Parameters<typeof readJson>[0]): Record<string, unknown> | undefined {
  try {
    return readJson(file);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}
