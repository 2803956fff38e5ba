import { BACKUP, RESTORE } from '../cli/commands/backup.ts';
import { readCommandLine } from '../cli/parse-words.ts';
import { typed } from '../cli/program.ts';
import { UsageProblem } from '../settings.ts';

/** Options of `backup` and `restore`. */
export interface BackupOptions {
  folder: string;
  remote: boolean;
  replace: boolean;
  json: boolean;
}

/** Reads the command line of `backup`. Throws a `UsageProblem` for invalid options. */
export async function readBackupOptions(): Promise<BackupOptions> {
  const { to, remote = false, json = false } = (await readCommandLine('backup', BACKUP)).values;
  return { folder: required(to, typed('backup', '--to <folder> [--remote]')), remote, json, replace: false };
}

/** Reads the command line of `restore`. Throws a `UsageProblem` for invalid options. */
export async function readRestoreOptions(): Promise<BackupOptions> {
  const { from, remote = false, replace = false, json = false } = (await readCommandLine('restore', RESTORE)).values;
  return { folder: required(from, typed('restore', '--from <folder> [--remote] [--replace]')), remote, replace, json };
}

function required(folder: string | undefined, usage: string): string {
  if (folder) return folder;
  throw new UsageProblem(`Usage: ${usage}, with BACKUP_KEY in the environment.`);
}
