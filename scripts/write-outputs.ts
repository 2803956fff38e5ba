import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Output {
  path: string;
  contents: string | Uint8Array;
}

/**
 * Writes what is new of files of `folder`, in their order, and removes its files that are none of them; what stands
 * already is left alone, so that nobody who watches or serves it is disturbed.
 */
export function writeOutputs(folder: string, files: Output[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of files) writeOutput(path, contents);
  const wanted = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { force: true });
}

/** Two starts of the service may build at the same time, so a file appears whole or not at all. */
export function writeOutput(path: string, contents: string | Uint8Array): void {
  const wanted = Buffer.from(contents);
  try {
    if (readFileSync(path).equals(wanted)) return;
  } catch {
    // Not there yet.
  }
  const draft = join(dirname(dirname(path)), `${basename(path)}.${process.pid}.draft`);
  writeFileSync(draft, wanted);
  renameSync(draft, path);
}
