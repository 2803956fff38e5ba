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
 * Makes sure that a directory exists and can be written to; throws a `Problem` otherwise. `variable` names what chooses
 * it.
 */
export function prepareDirectory(path: string, variable?: string): void {
  try {
    makeDirectories(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    const elsewhere = variable ? `, or choose another place with ${variable}` : '';
    throw new Problem(`Cannot write to ${path} (${why}): give your user the right to write there${elsewhere}.`);
  }
}

/**
 * One at a time: where the system refuses with "no such file" (below /proc, say), Node's own recursive way never ends.
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

/** Writes a file that only its owner may read (mode 0600); it is there as a whole or not at all. */
export function writePrivate(path: string, text: string | Buffer): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: PRIVATE_MODE });
  // The mode above counts only for a file that is new.
  chmodSync(unfinished, PRIVATE_MODE);
  renameSync(unfinished, path);
}

/** Writes a value as JSON, readable by its owner only. */
export function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** The value of a JSON file; undefined when there is none. Throws a `Problem` when it is not JSON. */
export function readJson<T>(path: string): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw new Problem(`${path} cannot be read (${(error as Error).message}): fix or delete it.`);
  }
}
