import { ROLLBACK } from './cli/commands/rollback.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { Progress } from './cli/progress.ts';
import { existingDatabases, openDeployment, writeConfig } from './deploy/deployment.ts';
import { findAddress } from './deploy/find-address.ts';
import { prepareCheckout, runWrangler } from './run-wrangler.ts';
import { runMain, UsageProblem } from './settings.ts';

/*
 * npm run rollback [-- <version>] [--env E] [--url U]: deploys the previous or the named version again, and waits until
 * it is healthy. The databases stay as they are: migrations only add what an earlier version doesn't read.
 */

const STEPS = 3;

await runMain(
  async () => {
    const { values, words } = await readCommandLine('rollback', ROLLBACK);
    if (words.length > 1) throw new UsageProblem('Give one version.');
    prepareCheckout();
    const progress = new Progress(STEPS);
    progress.step('Looking for the deployment');
    const deployment = await openDeployment(values.env ?? process.env.CLOUDFLARE_ENV ?? '');
    const databases = await existingDatabases(deployment);
    const config = writeConfig(deployment, databases);
    const { worker } = deployment;
    progress.step(`Rolling back ${worker}`);
    const parameters = ['rollback', ...words, '--config', config, '--env', '', '--yes'];
    await runWrangler([...parameters, '--message', 'npm run rollback'], 'The Worker could not be rolled back.');
    progress.say(`${worker} was rolled back. The databases are unchanged.`);
    const address = values.url ?? (await findAddress(deployment, databases.get('DB')!)) ?? null;
    if (address !== null) {
      progress.step(`Waiting for ${address}`);
      const { awaitHealth } = await import('./deploy/smoke-test.ts');
      await awaitHealth(address);
    }
    progress.end();
    if (values.json) console.log(JSON.stringify({ worker, address, healthy: address === null ? null : true }));
    else if (address !== null) console.log(`${address} is healthy.`);
  },
  { interrupted: 'Interrupted. See which version runs with: npx wrangler deployments list' },
);
