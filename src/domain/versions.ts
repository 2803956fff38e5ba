/**
 * Minimum distance between two changes or publications, in milliseconds. Devices compare whole seconds and would take
 * two quick changes for one (Apple, Wallet Passes).
 */
export const CHANGE_DISTANCE_MS = 1_000;

const REVISION_MAX = 2 ** 31 - 1;

/**
 * Returns a random number that accompanies a row's version. After a restore to an earlier time, versions repeat with
 * other content, but not with this number. Four bytes in SQLite; never 0, the value of rows created before.
 */
export function newRevision(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (drawn % REVISION_MAX) + 1;
}

/** Stored versions below this are plain numbers, as before. JavaScript is exact up to 2 million times as much. */
const REVISIONS = 2 ** 32;

/**
 * Returns the template version after `version`: the next number, with a random revision in the lower 32 bits. Versions
 * increase, and none repeats with another definition after a restore (docs/adr/0002-template-versions.md).
 */
export function versionAfter(version: number): number {
  return (versionNumber(version) + 1) * REVISIONS + newRevision();
}

/** Returns the number of a template's version, which counts its definitions and is all that users see. */
export function versionNumber(version: number): number {
  return version < REVISIONS ? version : Math.floor(version / REVISIONS);
}
