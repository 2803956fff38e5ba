import { join } from 'node:path';
import { buildClients } from './build-clients.ts';
import { buildWorker } from './build-worker.ts';
import { ROOT, runMain } from './settings.ts';

/*
 * Wrangler runs this before it starts or deploys the Worker ([build] in wrangler.toml). The Worker contains the
 * addresses of the client files, so those are built first.
 */

await runMain(async () => {
  await buildClients();
  await buildWorker('src/index.ts', join(ROOT, '.wrangler', 'worker'));
});
