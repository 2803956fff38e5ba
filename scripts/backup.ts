import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { makeBackup } from './backup/make-backup.ts';
import { readBackupOptions } from './backup/options.ts';
import { readBackupKey } from './backup/vault.ts';
import { Progress } from './cli/progress.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run backup -- --to <folder> [--remote]: writes an encrypted copy of database, files and processes. The service
 * may run meanwhile.
 */

/** Connecting, tables and files. */
const STEPS = 3;

await runMain(
  async () => {
    const { folder, remote, json } = await readBackupOptions();
    const key = readBackupKey(process.env);
    prepareCheckout();
    const progress = new Progress(STEPS);
    progress.step('Connecting to the service');
    const work = (run: RunCommand) => makeBackup(run, folder, key, progress);
    const counts = await (remote ? onRemoteState(work) : onLocalState(work));
    progress.end();
    const { rows, processes, files } = counts;
    if (json) console.log(JSON.stringify({ folder, ...counts }));
    else console.log(`Backed up to ${folder}: ${rows} rows, ${files} files, ${processes} processes.`);
  },
  { interrupted: 'Interrupted. The unfinished backup was deleted.' },
);
