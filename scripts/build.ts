import { join } from 'node:path';
import { buildClients } from './build-clients.ts';
import { buildWorker } from './build-worker.ts';
import { ROOT, runMain } from './settings.ts';

/*
 * What wrangler runs before it starts or deploys the Worker ([build] in wrangler.toml). The Worker holds the addresses
 * of the clients' files, so they come first.
 */

await runMain(async () => {
  await buildClients();
  await buildWorker('src/index.ts', join(ROOT, '.wrangler', 'worker'));
});
