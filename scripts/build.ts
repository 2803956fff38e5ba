import { join } from 'node:path';
import { digestOfSources, isBuilt, recordBuild } from './build-stamp.ts';
import { ROOT, runMain } from './settings.ts';

/*
 * Wrangler runs this before it starts or deploys the Worker ([build] in wrangler.toml). The Worker contains the
 * addresses of the client files, so those are built first. If no file has changed, the last build is used again.
 */

await runMain(async () => {
  const sources = digestOfSources();
  if (isBuilt(sources)) return;
  // Loaded late because the bundlers take longer to load than the check.
  const { buildClients } = await import('./build-clients.ts');
  const { buildWorker } = await import('./build-worker.ts');
  await buildClients();
  await buildWorker('src/index.ts', join(ROOT, '.wrangler', 'worker'));
  recordBuild(sources);
});
