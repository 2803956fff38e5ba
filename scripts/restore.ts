import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { readRestoreOptions } from './backup/options.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { readBackupKey } from './backup/vault.ts';
import { Progress } from './cli/progress.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run restore -- --from <folder> [--replace] [--remote]: restores a backup into an empty service, or replaces a
 * service's data.
 */

/** Verifying, deleting, rows, files, index and processes. */
const STEPS = 6;

await runMain(
  async () => {
    const { folder, remote, replace, json } = await readRestoreOptions();
    const key = readBackupKey(process.env);
    prepareCheckout();
    const progress = new Progress(STEPS);
    const work = (run: RunCommand) => restoreBackup(run, folder, key, { replace, report: progress });
    const counts = await (remote ? onRemoteState(work) : onLocalState(work, { alone: true }));
    progress.end();
    const { rows, processes, files } = counts;
    if (json) console.log(JSON.stringify({ folder, ...counts }));
    else console.log(`Restored from ${folder}: ${rows} rows, ${files} files, ${processes} processes.`);
  },
  { interrupted: 'Interrupted. The service may have a part of the backup: restore again with --replace.' },
);
