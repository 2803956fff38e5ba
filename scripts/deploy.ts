import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addressIn, type Deployment, openDeployment, runReporting, writeConfig } from './deploy/deployment.ts';
import { findSigning, listSettings, nextSteps } from './deploy/next-steps.ts';
import { remoteD1 } from './deploy/remote-d1.ts';
import { ensureBuckets, ensureQueues, resolveDatabases } from './deploy/resources.ts';
import { keptSecrets, listSecrets, makeSecrets, missingSecrets, type NewSecrets } from './deploy/secrets.ts';
import { writePrivateJson } from './files.ts';
import { prepareCheckout, runWrangler } from './run-wrangler.ts';
import { Problem, runMain } from './settings.ts';

/*
 * npm run deploy [-- --env E] [--location L] [--url U] [--skip-smoke-test]: creates what is missing, applies the
 * migrations to each database, deploys the Worker, tries it, and says what is left to do. It stops at the first
 * failure; what was done stays, and running it again goes on. CLOUDFLARE_ENV names an environment, too.
 */

const say = (line: string) => console.log(line);

interface Options {
  environment: string;
  location: string | undefined;
  url: string | undefined;
  isTried: boolean;
}

await runMain(async () => {
  const options = readOptions();
  prepareCheckout();
  const deployment = await openDeployment(options.environment);
  const { worker, api, resources } = deployment;
  say(`Deploying ${worker} to the Cloudflare account ${api.accountId}`);
  const { location } = options;
  const databases = await resolveDatabases(api, resources, { location, say });
  await ensureBuckets(api, resources, { location, say });
  await ensureQueues(api, resources, say);
  const config = writeConfig(deployment, databases);
  const missing = missingSecrets(await listSecrets(api, worker));
  const made = isBuildServer() ? undefined : makeSecrets(deployment.folder, worker, missing);
  await migrate(deployment, config);
  const deployed = await deployWorker(config, made);
  const address = options.url ?? deployed;
  if (!address) {
    say('The Worker is deployed. It has no address of its own: repeat with --url to try it, and to see what is left.');
    return;
  }
  const left = made ? [] : missing;
  const kept = isBuildServer() ? undefined : keptSecrets(deployment.folder, worker);
  await tryAndReport({ deployment, options, address, directory: databases.get('DB')!, made: kept, left });
});

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      env: { type: 'string' },
      location: { type: 'string' },
      url: { type: 'string' },
      'skip-smoke-test': { type: 'boolean' },
    },
  });
  return {
    environment: values.env ?? process.env.CLOUDFLARE_ENV ?? '',
    location: values.location,
    url: values.url && new URL(values.url).origin,
    isTried: !values['skip-smoke-test'],
  };
}

/** The log of a build server is kept, and its disk is not. */
function isBuildServer({ CI, WORKERS_CI } = process.env): boolean {
  return Boolean(WORKERS_CI || (CI && CI !== 'false' && CI !== '0'));
}

async function migrate({ resources }: Deployment, config: string): Promise<void> {
  for (const { binding, database_name: name } of resources.d1_databases ?? []) {
    say(`Applying migrations to ${binding} (${name}) …`);
    const parameters = ['d1', 'migrations', 'apply', binding, '--remote', '--config', config, '--env', ''];
    await runWrangler(parameters, `The migrations could not be applied to ${binding}. Nothing was deployed.`);
  }
}

/** Deploys the Worker together with the secrets that it lacks; those that it has stay. Returns its address. */
async function deployWorker(config: string, made: NewSecrets | undefined): Promise<string | undefined> {
  say('Deploying …');
  const folder = mkdtempSync(join(tmpdir(), 'deploy-secrets-'));
  try {
    const file = join(folder, 'secrets.json');
    if (made) writePrivateJson(file, made.values);
    const parameters = ['deploy', '--config', config, '--env', '', ...(made ? ['--secrets-file', file] : [])];
    const reports = await runReporting(parameters, 'The Worker could not be deployed.');
    return addressIn(reports.find(({ type }) => type === 'deploy')?.targets);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Trial {
  deployment: Deployment;
  options: Options;
  address: string;
  /** Identifier of the first database. */
  directory: string;
  made: NewSecrets | undefined;
  /** Secrets that are missing still. */
  left: string[];
}

async function tryAndReport({ deployment, options, address, directory, made, left }: Trial): Promise<void> {
  const { api, worker } = deployment;
  // It imports the domain, which takes longer than to find out that somebody is not signed in.
  const { awaitHealth, smokeTest } = await import('./deploy/smoke-test.ts');
  const canBeTried = options.isTried && left.length === 0;
  if (canBeTried) {
    say(`Trying ${address} …`);
    try {
      await awaitHealth(address);
      const { hasPassFile } = await smokeTest(address, remoteD1(api, directory));
      const what = hasPassFile ? 'page and file' : 'page; its file needs a certificate';
      say(`Smoke test passed: created a pass, downloaded its ${what}, and deleted it.`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(
        `The Worker is deployed, but the smoke test failed. ${error.message}\nGo back with: npm run rollback`,
      );
    }
  }
  const signing = await findSigning(api, directory);
  const setup = await fetch(`${address}/setup`, { redirect: 'manual' }).catch(() => undefined);
  const steps = nextSteps({
    ...{ address, worker, made, missing: left },
    settings: await listSettings(api, worker),
    canBeSetUp: setup?.status === 200,
    hasCertificate: signing.certificates > 0,
    hasGoogleIssuer: signing.issuers > 0,
  });
  say(`Deployed to ${address}`);
  if (steps.length > 0) say(['', 'Left to do:', ...steps.map((step, i) => `${i + 1}. ${step}`)].join('\n'));
}
