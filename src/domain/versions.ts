const REVISION_MAX = 2 ** 31 - 1;

/**
 * A random number that goes with a version of a row. After a restore of the database to an earlier time, versions
 * repeat with another content, but not with this number. Four bytes in SQLite; never 0, which rows from before have.
 */
export function newRevision(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return (drawn % REVISION_MAX) + 1;
}

/** Stored versions below are numbers alone, as before. JavaScript counts exactly up to 2 million times as much. */
const REVISIONS = 2 ** 32;

/**
 * The version of a template behind `version`: the next number, with a random revision in its lower 32 bits. Versions
 * rise, and none comes back with another definition after a restore (docs/adr/0002-template-versions.md).
 */
export function versionAfter(version: number): number {
  return (versionNumber(version) + 1) * REVISIONS + newRevision();
}

/** The number of a template's version, which counts its definitions: all that people see of it. */
export function versionNumber(version: number): number {
  return version < REVISIONS ? version : Math.floor(version / REVISIONS);
}
