import { boundDatabases } from './bound-databases.ts';
import { prepareCheckout, runWrangler } from './run-wrangler.ts';
import { runMain } from './settings.ts';

/*
 * npm run deploy: applies the migrations to each database that wrangler.toml binds, one after the other, and then
 * deploys the Worker. It stops at the first failure; what was applied stays, and the running release works with it.
 * CLOUDFLARE_ENV names an environment.
 */

await runMain(async () => {
  const environment = process.env.CLOUDFLARE_ENV ?? '';
  prepareCheckout();
  for (const { binding, database_name: name } of boundDatabases(environment)) {
    console.log(`Applying migrations to ${binding} (${name}) …`);
    const parameters = ['d1', 'migrations', 'apply', binding, '--remote', '--env', environment];
    await runWrangler(parameters, `The migrations could not be applied to ${binding}. Nothing was deployed.`);
  }
  console.log('Deploying …');
  await runWrangler(['deploy', '--env', environment], 'The Worker could not be deployed.');
});
