import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { readBackupOptions } from './backup/options.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { readBackupKey } from './backup/vault.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run restore -- --from <folder> [--replace] [--remote]: puts a backup into an empty service, or into one whose
 * data it replaces.
 */

await runMain(async () => {
  const { folder, remote, replace } = readBackupOptions(process.argv.slice(2), 'restore');
  const key = readBackupKey(process.env);
  prepareCheckout();
  const work = (run: RunCommand) => restoreBackup(run, folder, key, { replace });
  const { rows, processes, files } = await (remote ? onRemoteState(work) : onLocalState(work, { alone: true }));
  console.log(`Restored from ${folder}: ${rows} rows, ${files} files, ${processes} processes.`);
});
