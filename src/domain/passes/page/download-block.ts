import type { StoredDefinition } from '../../templates/definition.ts';
import type { Pass } from '../table.ts';

/**
 * Whether the download page hands nothing out at `now` (UTC milliseconds): the template blocks passes that are on a
 * device, and nobody has opened the download for a while (`enabledownload`).
 */
export function isDownloadBlocked(
  definition: StoredDefinition,
  pass: Pick<Pass, 'numberOfActive' | 'downloadEnabledUntilAt'>,
  now: number,
): boolean {
  return definition.preventDownloadWhenActive && pass.numberOfActive > 0 && (pass.downloadEnabledUntilAt ?? 0) <= now;
}
