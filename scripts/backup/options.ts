import { BACKUP, RESTORE } from '../cli/commands/backup.ts';
import { readCommandLine } from '../cli/parse-words.ts';
import { typed } from '../cli/program.ts';
import { UsageProblem } from '../settings.ts';
import { type BucketPlace, readBucketPlace } from './bucket.ts';

/** Options of `backup` and `restore`. */
export interface BackupOptions {
  /** Folder of the backup; undefined: it is in a bucket. */
  folder?: string;
  bucket?: BucketPlace;
  remote: boolean;
  replace: boolean;
  json: boolean;
}

/** Reads the command line of `backup`. Throws a `UsageProblem` for invalid options. */
export async function readBackupOptions(): Promise<BackupOptions> {
  const { to, bucket, remote = false, json = false } = (await readCommandLine('backup', BACKUP)).values;
  const usage = typed('backup', '--to <folder> | --bucket <name>/<prefix> [--remote]');
  return { ...placeOf(to, bucket, usage), remote, json, replace: false };
}

/** Reads the command line of `restore`. Throws a `UsageProblem` for invalid options. */
export async function readRestoreOptions(): Promise<BackupOptions> {
  const {
    from,
    bucket,
    remote = false,
    replace = false,
    json = false,
  } = (await readCommandLine('restore', RESTORE)).values;
  const usage = typed('restore', '--from <folder> | --bucket <name>/<prefix> [--remote] [--replace]');
  return { ...placeOf(from, bucket, usage), remote, replace, json };
}

function placeOf(folder: string | undefined, bucket: string | undefined, usage: string) {
  if (folder && !bucket) return { folder };
  if (bucket && !folder) return { bucket: readBucketPlace(bucket) };
  throw new UsageProblem(`Usage: ${usage}, with BACKUP_KEY in the environment.`);
}
