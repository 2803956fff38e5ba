import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A reservation in schema.org terms, as KDE's extractor prints it. */
export type Reservation = Record<string, unknown> & { '@type': string };

const LIBRARIES = '/usr/lib';

/**
 * Returns the path of KDE’s `kitinerary-extractor` (Debian package `libkpimitinerary-bin`); undefined if it is missing.
 */
export function findKitinerary(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  const folders = readdirSync(LIBRARIES).flatMap((name) =>
    ['kf6', 'kf5'].map((version) => join(LIBRARIES, name, 'libexec', version, 'kitinerary-extractor')),
  );
  return folders.find((file) => existsSync(file));
}

/** Returns the reservations that the extractor finds in a `.pkpass`. Throws if it fails. */
export function readWithKitinerary(extractor: string, file: string): Reservation[] {
  const env = { ...process.env, QT_QPA_PLATFORM: 'offscreen' };
  const { status, stdout, stderr } = spawnSync(extractor, [file], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`kitinerary-extractor failed: ${stderr}`);
  return JSON.parse(stdout) as Reservation[];
}
