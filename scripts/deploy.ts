import { join } from 'node:path';
import { styleText } from 'node:util';
import { temporaryFolder } from './at-exit.ts';
import { DEPLOY } from './cli/commands/deploy.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { typed } from './cli/program.ts';
import { Progress } from './cli/progress.ts';
import { addressIn, type Deployment, openDeployment, runReporting, writeConfig } from './deploy/deployment.ts';
import { findAddress } from './deploy/find-address.ts';
import { findSigning, listSettings, nextSteps } from './deploy/next-steps.ts';
import { remoteD1 } from './deploy/remote-d1.ts';
import { ensureBuckets, ensureQueues, resolveDatabases } from './deploy/resources.ts';
import { keptSecrets, listSecrets, makeSecrets, missingSecrets, type NewSecrets } from './deploy/secrets.ts';
import { writePrivateJson } from './files.ts';
import { prepareCheckout, runWrangler } from './run-wrangler.ts';
import { Problem, runMain, UsageProblem } from './settings.ts';

/*
 * npm run deploy: creates missing resources, migrates each database, deploys and tests the Worker, and lists the next
 * steps. It stops at the first failure. Completed steps stay, and a new run continues. Options are in
 * `cli/commands/deploy.ts`.
 */

/** Steps besides the migrations of each database. */
const STEPS = 5;

interface Options {
  environment: string;
  location: string | undefined;
  url: string | undefined;
  isTried: boolean;
}

/** Facts about a finished deployment. */
interface Deployed {
  worker: string;
  accountId: string;
  address: string | null;
  smokeTest: 'passed' | 'skipped';
  leftToDo: string[];
}

await runMain(
  async () => {
    const { values } = await readCommandLine('deploy', DEPLOY);
    const deployed = await deploy({
      environment: values.env ?? process.env.CLOUDFLARE_ENV ?? '',
      location: values.location,
      url: originOf(values.url),
      isTried: !values['skip-smoke-test'],
    });
    if (values.json) console.log(JSON.stringify(deployed));
    else print(deployed);
  },
  { interrupted: `Interrupted. Completed steps stay. To continue: ${typed('deploy')}` },
);

function originOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (!URL.canParse(url))
    throw new UsageProblem(`--url must be an address such as https://passes.example.com, not "${url}".`);
  return new URL(url).origin;
}

async function deploy(options: Options): Promise<Deployed> {
  prepareCheckout();
  const deployment = await openDeployment(options.environment);
  const { worker, api, resources } = deployment;
  const progress = new Progress(STEPS + (resources.d1_databases ?? []).length);
  const say = (line: string) => progress.say(line);
  say(`Deploying ${worker} to the Cloudflare account ${api.accountId}`);
  const { location } = options;
  progress.step('Looking for databases');
  const databases = await resolveDatabases(api, resources, { location, say });
  progress.step('Looking for the bucket and queues');
  await ensureBuckets(api, resources, { location, say });
  await ensureQueues(api, resources, say);
  const config = writeConfig(deployment, databases);
  const secrets = { folder: deployment.folder, worker, accountId: api.accountId };
  const missing = missingSecrets(await listSecrets(api, worker));
  const made = isBuildServer() ? undefined : makeSecrets(secrets, missing);
  await migrate(deployment, config, progress);
  progress.step('Deploying');
  const deployed = await deployWorker(config, made);
  const address = options.url ?? deployed ?? (await findAddress(deployment, databases.get('DB')!)) ?? null;
  const done = { worker, accountId: api.accountId, address };
  if (address === null) return { ...done, smokeTest: 'skipped', leftToDo: [NO_ADDRESS] };
  const left = made ? [] : missing;
  const isTried = options.isTried && left.length === 0;
  if (isTried) await tryOut(deployment, address, databases, progress);
  progress.step('Checking the next steps');
  const kept = isBuildServer() ? undefined : keptSecrets(secrets);
  const leftToDo = await whatIsLeft({ deployment, address, directory: databases.get('DB')!, made: kept, left });
  progress.end();
  return { ...done, smokeTest: isTried ? 'passed' : 'skipped', leftToDo };
}

const NO_ADDRESS = 'The Worker has no address of its own: run again with --url to test it, and to see the next steps.';

function print({ address, leftToDo }: Deployed): void {
  if (address === null) console.log(`The Worker is deployed. ${NO_ADDRESS}`);
  else {
    console.log(styleText('green', `Deployed to ${address}`));
    if (leftToDo.length > 0)
      console.log(['', 'Next steps:', ...leftToDo.map((step, i) => `${i + 1}. ${step}`)].join('\n'));
  }
}

/** A build server keeps its log, but not its disk. */
function isBuildServer({ CI, WORKERS_CI } = process.env): boolean {
  return Boolean(WORKERS_CI || (CI && CI !== 'false' && CI !== '0'));
}

async function migrate({ resources }: Deployment, config: string, progress: Progress): Promise<void> {
  for (const { binding, database_name: name } of resources.d1_databases ?? []) {
    progress.step(`Applying migrations to ${binding} (${name})`);
    const parameters = ['d1', 'migrations', 'apply', binding, '--remote', '--config', config, '--env', ''];
    await runWrangler(parameters, `The migrations could not be applied to ${binding}. Nothing was deployed.`);
  }
}

/** Deploys the Worker with the secrets it lacks and keeps the others. Returns its address. */
async function deployWorker(config: string, made: NewSecrets | undefined): Promise<string | undefined> {
  const { path, remove } = temporaryFolder('deploy-secrets-');
  try {
    const file = join(path, 'secrets.json');
    if (made) writePrivateJson(file, made.values);
    const parameters = ['deploy', '--config', config, '--env', '', ...(made ? ['--secrets-file', file] : [])];
    const reports = await runReporting(parameters, 'The Worker could not be deployed.');
    return addressIn(reports.find(({ type }) => type === 'deploy')?.targets);
  } finally {
    remove();
  }
}

/** Creates a pass at the deployed address in each database, and deletes it. `ids` has the databases by binding. */
async function tryOut(
  { api }: Deployment,
  address: string,
  ids: ReadonlyMap<string, string>,
  progress: Progress,
): Promise<void> {
  progress.step(`Testing ${address}`);
  // Loaded late because it imports the domain, which would delay the message about a missing sign-in.
  const { awaitHealth, smokeTest } = await import('./deploy/smoke-test.ts');
  try {
    await awaitHealth(address);
    const bound = new Map([...ids].map(([binding, id]) => [binding, remoteD1(api, id)]));
    const { databases, hasPassFile } = await smokeTest(address, bound);
    const what = hasPassFile ? 'page and file' : 'page; its file needs a certificate';
    const where = databases.length > 1 ? ` in ${databases.join(', ')}` : '';
    progress.say(`Smoke test passed${where}: created a pass, downloaded its ${what}, and deleted it.`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(
      `The Worker is deployed, but the smoke test failed. ${error.message}\nGo back with: ${typed('rollback')}`,
    );
  }
}

interface Trial {
  deployment: Deployment;
  address: string;
  /** Identifier of the first database. */
  directory: string;
  made: NewSecrets | undefined;
  /** Secrets that are still missing. */
  left: string[];
}

async function whatIsLeft({ deployment, address, directory, made, left }: Trial): Promise<string[]> {
  const { api, worker } = deployment;
  const signing = await findSigning(api, directory);
  const setup = await fetch(`${address}/setup`, { redirect: 'manual' }).catch(() => undefined);
  return nextSteps({
    ...{ address, worker, made, missing: left },
    settings: await listSettings(api, worker),
    canBeSetUp: setup?.status === 200,
    hasCertificate: signing.certificates > 0,
    hasGoogleIssuer: signing.issuers > 0,
  });
}
