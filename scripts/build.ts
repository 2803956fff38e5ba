import { join } from 'node:path';
import { buildClients } from './build-clients.ts';
import { buildWorker } from './build-worker.ts';
import { LOCAL_FOLDER, LOCAL_OPTION } from './local-build.ts';
import { ROOT, runMain } from './settings.ts';

/*
 * Wrangler runs this before it deploys the Worker ([build] in wrangler.toml), and with `--local` before it starts it on
 * this machine (`local-build.ts`). The Worker contains the addresses of the client files, so those are built first.
 */

await runMain(async () => {
  await buildClients();
  const isLocal = process.argv.includes(LOCAL_OPTION);
  const folder = isLocal ? LOCAL_FOLDER : join('.wrangler', 'worker');
  await buildWorker('src/index.ts', join(ROOT, folder), { isLocal });
});
