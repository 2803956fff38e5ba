import { join } from 'node:path';
import { digestOfSources, isBuilt, recordBuild } from './build-stamp.ts';
import { LOCAL_FOLDER, LOCAL_OPTION } from './local-build.ts';
import { ROOT, runMain } from './settings.ts';

/*
 * Wrangler runs this before it deploys the Worker ([build] in wrangler.toml), and with `--local` before it starts it on
 * this machine (`local-build.ts`). The Worker contains the addresses of the client files, so those are built first. If
 * no file has changed, the last build is used again.
 */

await runMain(async () => {
  const isLocal = process.argv.includes(LOCAL_OPTION);
  const folder = isLocal ? LOCAL_FOLDER : join('.wrangler', 'worker');
  const sources = digestOfSources();
  if (isBuilt(folder, sources)) return;
  // Loaded late because the bundlers take longer to load than the check.
  const { buildClients } = await import('./build-clients.ts');
  const { buildWorker } = await import('./build-worker.ts');
  await buildClients();
  await buildWorker('src/index.ts', join(ROOT, folder), { isLocal });
  recordBuild(folder, sources);
});
