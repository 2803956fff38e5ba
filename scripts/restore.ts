import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { temporaryFolder } from './at-exit.ts';
import { downloadBackup, wranglerStore } from './backup/bucket.ts';
import { readRestoreOptions } from './backup/options.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { readBackupKey } from './backup/vault.ts';
import { Progress } from './cli/progress.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run restore -- --from <folder> | --bucket <name>/<prefix> [--replace] [--remote]: restores a backup into an empty
 * service, or replaces a service's data.
 */

/** Verifying, deleting, rows, files, index and processes. */
const STEPS = 6;

await runMain(
  async () => {
    const { folder, bucket, remote, replace, json } = await readRestoreOptions();
    const key = readBackupKey(process.env);
    prepareCheckout();
    const progress = new Progress(bucket ? STEPS + 1 : STEPS);
    const scratch = bucket && temporaryFolder('pass-wallet-restore-');
    if (bucket) {
      progress.step(`Fetching the backup from the bucket ${bucket.bucket}`);
      await downloadBackup(bucket.prefix, scratch!.path, wranglerStore(bucket.bucket));
    }
    const source = folder ?? scratch!.path;
    const work = (run: RunCommand) => restoreBackup(run, source, key, { replace, report: progress });
    const counts = await (remote ? onRemoteState(work) : onLocalState(work, { alone: true }));
    scratch?.remove();
    progress.end();
    const place = bucket ? `r2://${bucket.bucket}/${bucket.prefix}` : source;
    const { rows, processes, files } = counts;
    if (json) console.log(JSON.stringify({ folder: place, ...counts }));
    else console.log(`Restored from ${place}: ${rows} rows, ${files} files, ${processes} processes.`);
  },
  { interrupted: 'Interrupted. The service may have a part of the backup: restore again with --replace.' },
);
