import { parseArgs } from 'node:util';
import { existingDatabases, openDeployment, workersDevAddress, writeConfig } from './deploy/deployment.ts';
import { prepareCheckout, runWrangler } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run rollback [-- <version>] [--env E] [--url U]: goes back to the version that was deployed before, or to the
 * named one, and waits until it is healthy. The databases stay as they are: migrations only add what a version before
 * does not read.
 */

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { env: { type: 'string' }, url: { type: 'string' } },
  });
  prepareCheckout();
  const deployment = await openDeployment(values.env ?? process.env.CLOUDFLARE_ENV ?? '');
  const config = writeConfig(deployment, await existingDatabases(deployment));
  const parameters = ['rollback', ...positionals.slice(0, 1), '--config', config, '--env', '', '--yes'];
  await runWrangler([...parameters, '--message', 'npm run rollback'], 'The Worker could not be rolled back.');
  console.log(`${deployment.worker} runs the version before again. The databases are as they were.`);
  const address = values.url ?? (await workersDevAddress(deployment));
  if (!address) return;
  const { awaitHealth } = await import('./deploy/smoke-test.ts');
  await awaitHealth(address);
  console.log(`${address} is healthy.`);
});
