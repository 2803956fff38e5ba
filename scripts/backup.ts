import { join } from 'node:path';
import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { temporaryFolder } from './at-exit.ts';
import { requireFree, uploadBackup, wranglerStore } from './backup/bucket.ts';
import { makeBackup } from './backup/make-backup.ts';
import { readBackupOptions } from './backup/options.ts';
import { readBackupKey } from './backup/vault.ts';
import { Progress } from './cli/progress.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run backup -- --to <folder> | --bucket <name>/<prefix> [--remote]: writes an encrypted copy of database, files
 * and processes. The service may run meanwhile.
 */

/** Connecting, tables and files; then the upload. */
const STEPS = 3;

await runMain(
  async () => {
    const { folder, bucket, remote, json } = await readBackupOptions();
    const key = readBackupKey(process.env);
    prepareCheckout();
    const scratch = bucket && temporaryFolder('pass-wallet-backup-');
    const target = folder ?? join(scratch!.path, 'backup');
    const progress = new Progress(bucket ? STEPS + 1 : STEPS);
    progress.step('Connecting to the service');
    const store = bucket && wranglerStore(bucket.bucket);
    if (bucket && store) await requireFree(bucket.prefix, store, scratch!.path);
    const work = (run: RunCommand) => makeBackup(run, target, key, progress);
    const counts = await (remote ? onRemoteState(work) : onLocalState(work));
    if (bucket && store) {
      progress.step(`Storing the backup in the bucket ${bucket.bucket}`);
      const onFile = (done: number, total: number, file: string) => progress.at(done, total, file);
      await uploadBackup(target, bucket.prefix, store, { onFile });
    }
    scratch?.remove();
    progress.end();
    const place = bucket ? `r2://${bucket.bucket}/${bucket.prefix}` : target;
    const { rows, processes, files } = counts;
    if (json) console.log(JSON.stringify({ folder: place, ...counts }));
    else console.log(`Backed up to ${place}: ${rows} rows, ${files} files, ${processes} processes.`);
  },
  { interrupted: 'Interrupted. The unfinished backup was deleted.' },
);
