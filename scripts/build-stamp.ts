import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readJson, writePrivateJson } from './files.ts';
import { ROOT } from './settings.ts';

/*
 * Remembers which sources the built files are from, because a build takes most of the time of a second start. It is
 * repeated when the content of any source or built file has changed.
 */

/** The sources of all built files. The lock files stand for the libraries. */
const SOURCES = [
  ...['src', 'tsconfig.json', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
  ...[
    'build.ts',
    'build-clients.ts',
    'build-worker.ts',
    'as-bundled.ts',
    'left-out.ts',
    'local-build.ts',
    'write-outputs.ts',
  ].map((name) => `scripts/${name}`),
];
const CLIENT_FOLDER = '.wrangler/client';
const STAMPS = '.wrangler/build';

interface Stamp {
  sources: string;
  built: string;
}

/** Returns a digest of the sources, for `isBuilt` and `recordBuild`. */
export const digestOfSources = (root = ROOT): string => digestOf(root, SOURCES);

/** Whether the last build into a folder was made from these sources, and its files are complete and unchanged. */
export function isBuilt(folder: string, sources: string, root = ROOT): boolean {
  const stamp = readJson<Stamp>(stampOf(folder, root));
  return stamp?.sources === sources && stamp.built === digestOf(root, [folder, CLIENT_FOLDER]);
}

/** Records a build. The digest must be from before it, so that a file that changed meanwhile is built the next time. */
export function recordBuild(folder: string, sources: string, root = ROOT): void {
  const stamp: Stamp = { sources, built: digestOf(root, [folder, CLIENT_FOLDER]) };
  writePrivateJson(stampOf(folder, root), stamp);
}

const stampOf = (folder: string, root: string) => join(root, STAMPS, `${basename(folder)}.json`);

/** Returns a digest of the names and contents of files, and of all files in folders. */
function digestOf(root: string, paths: string[]): string {
  const digest = createHash('sha256');
  for (const path of paths.filter((one) => existsSync(join(root, one)))) {
    const isFolder = statSync(join(root, path)).isDirectory();
    const entries = isFolder ? readdirSync(join(root, path), { recursive: true, withFileTypes: true }) : [];
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const file of isFolder ? files.sort() : [join(root, path)]) {
      const contents = readFileSync(file);
      digest.update(`${relative(root, file)}\0${contents.length}\0`).update(contents);
    }
  }
  return digest.digest('hex');
}
