import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Output {
  path: string;
  contents: string | Uint8Array;
}

/**
 * Writes new and changed files of `folder` in order, and deletes files not in the list. Leaves unchanged ones alone, so
 * as not to disturb programs that watch or serve them.
 */
export function writeOutputs(folder: string, files: Output[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of files) writeOutput(path, contents);
  const wanted = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { force: true });
}

/** Writes atomically, because two starts of the service may build at the same time. */
export function writeOutput(path: string, contents: string | Uint8Array): void {
  const wanted = Buffer.from(contents);
  try {
    if (readFileSync(path).equals(wanted)) return;
  } catch {
    // It doesn't exist yet.
  }
  const draft = join(dirname(dirname(path)), `${basename(path)}.${process.pid}.draft`);
  writeFileSync(draft, wanted);
  renameSync(draft, path);
}
