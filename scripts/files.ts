import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from './settings.ts';

const PRIVATE_MODE = 0o600;

/**
 * Makes sure that a directory exists and is writable; throws a `Problem` otherwise. `variable` is the setting that
 * selects it.
 */
export function prepareDirectory(path: string, variable?: string): void {
  try {
    makeDirectories(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    const elsewhere = variable ? `, or choose another place with ${variable}` : '';
    throw new Problem(`Cannot write to ${path} (${why}): give your user write permission there${elsewhere}.`);
  }
}

/**
 * Creates one level at a time: Node's recursive option never returns if the system fails with ENOENT, for example below
 * /proc.
 */
function makeDirectories(path: string): void {
  if (existsSync(path)) return;
  makeDirectories(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Writes a file atomically, readable by its owner only (mode 0600). */
export function writePrivate(path: string, text: string | Buffer): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: PRIVATE_MODE });
  // The mode above applies only to new files.
  chmodSync(unfinished, PRIVATE_MODE);
  renameSync(unfinished, path);
}

/** Writes a value as JSON, readable by its owner only. */
export function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Reads a JSON file; undefined if it doesn't exist. Throws a `Problem` if it isn't JSON. */
export function readJson<T>(path: string): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw new Problem(`${path} cannot be read (${(error as Error).message}): fix or delete it.`);
  }
}
