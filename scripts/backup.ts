import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { makeBackup } from './backup/make-backup.ts';
import { readBackupOptions } from './backup/options.ts';
import { readBackupKey } from './backup/vault.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run backup -- --to <folder> [--remote]: an encrypted copy of database, files and processes, also while the
 * service runs.
 */

await runMain(async () => {
  const { folder, remote } = readBackupOptions(process.argv.slice(2), 'backup');
  const key = readBackupKey(process.env);
  prepareCheckout();
  const work = (run: RunCommand) => makeBackup(run, folder, key);
  const { rows, processes, files } = await (remote ? onRemoteState(work) : onLocalState(work));
  console.log(`Backed up to ${folder}: ${rows} rows, ${files} files, ${processes} processes.`);
});
