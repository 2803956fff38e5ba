import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** More space than a full run has ever needed. */
const SCRATCH_BYTES = 4 * 1024 ** 3;
const SCRATCH_PREFIX = 'pass-wallet-test-';
/** Longer than any run takes: older files were left by a killed one. */
const SCRATCH_MS_MAX = 6 * 60 * 60_000;

/** Makes the folder for everything that a test run writes. */
export function makeScratchFolder(): string {
  return mkdtempSync(join(roomInMemory() ?? tmpdir(), SCRATCH_PREFIX));
}

/** Returns Linux' in-memory file system if a run fits in it: on a disk, databases wait for each commit. */
function roomInMemory(): string | undefined {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder).filter((one) => one.startsWith(SCRATCH_PREFIX))) {
    const left = join(folder, name);
    const isOld = Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN) > SCRATCH_MS_MAX;
    if (isOld) rmSync(left, { recursive: true, force: true });
  }
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= SCRATCH_BYTES ? folder : undefined;
}
