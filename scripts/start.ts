import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { newAdminToken, runAdminCommand } from './admin-client.ts';
import { START } from './cli/commands/start.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { shownPath, typed } from './cli/program.ts';
import { Progress } from './cli/progress.ts';
import { createScanner } from './demo/create-scanner.ts';
import { isOutdated } from './demo/outdated.ts';
import { DEMO_KEYS, demoTemplates } from './demo/templates.ts';
import { createDevelopmentAuthority } from './development-ca.ts';
import { prepareDirectory, readJson, writePrivate, writePrivateJson } from './files.ts';
import { startFront } from './front.ts';
import { localDatabases, localEncryptionKeys, migrate, missingMigrations } from './local-state.ts';
import { create, describeTemplate, listTemplates, replaceTemplate } from './public-api.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { type DemoFacts, type DemoSeed, seedDemo } from './seed.ts';
import { claimState, publishRecord, releaseState, type ServiceRecord } from './service-record.ts';
import { Problem, readSettings, runMain, type Settings } from './settings.ts';
import { whenStopRequested } from './stop-request.ts';
import { openWorkerLog } from './worker-log.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

/*
 * npm start: runs the whole service on this machine, ready to use. Options and variables are in
 * `cli/commands/start.ts`. `npm run dev` adds --log.
 */

let json = false;

await runMain(async () => {
  json = (await readCommandLine('start', START)).values.json ?? false;
  const settings = readSettings(process.env);
  const stopRequested = whenStopRequested();
  prepareCheckout();
  prepareDirectory(settings.stateDir, 'STATE_DIR');
  prepareDirectory(settings.localDir, 'LOCAL_DIR');
  const running = await claimState(settings.stateDir);
  if (running) {
    throw new Problem(`The service already runs on ${settings.stateDir}: ${running.baseUrl} (process ${running.pid}).`);
  }
  const cleanUp: (() => unknown)[] = [];
  try {
    await Promise.race([serve(settings, cleanUp), stopRequested]);
  } finally {
    // A Worker that is still starting ends with this process.
    for (const step of cleanUp.reverse()) await step();
    releaseState(settings.stateDir);
  }
  if (json) console.log(JSON.stringify({ event: 'stopped', baseUrl: settings.baseUrl }));
});
process.exit();

/** Starts everything, seeds, and prints a summary. Rejects once the Worker ends. */
async function serve(settings: Settings, cleanUp: (() => unknown)[]): Promise<never> {
  const { host, port, baseUrl, origin, stateDir } = settings;
  let worker: WorkerProcess | undefined;
  const front = await startFront(host, port, () => worker?.origin);
  cleanUp.push(front.close);
  const migrations = missingMigrations(stateDir);
  const progress = new Progress(migrations.length + 3);
  cleanUp.push(() => progress.end());
  await migrate(stateDir, progress);
  progress.step('Starting the Worker');
  const adminToken = newAdminToken();
  const variables = {
    BASE_URL: baseUrl,
    ...localEncryptionKeys(stateDir, process.env),
    ADMIN_TOKEN: adminToken,
    // Allows webhook receivers and images on the developer's own machine.
    ALLOW_LOCAL_TARGETS: 'true',
    LIMITS_BY_ADDRESS: process.env.LIMITS_BY_ADDRESS ?? '',
  };
  const verbose = process.env.LOG === '1';
  const onLine = openWorkerLog(logFileOf(settings), verbose, (line) => progress.say(line));
  worker = await startWorker({ stateDir, variables, cron: true, onLine });
  cleanUp.push(worker.stop);
  const record: ServiceRecord = { pid: process.pid, baseUrl, origin, adminToken };
  publishRecord(stateDir, record);
  progress.step('Opening the databases');
  await openDatabases(record, stateDir);
  progress.step('Preparing the demo account');
  const facts = await seed(settings, record);
  const link = await runAdminCommand<{ url: string }>(record, 'sign-in-link', { email: facts.userEmail });
  progress.end();
  const running = describe(settings, facts, link.url);
  if (json) console.log(JSON.stringify({ event: 'running', ...running }));
  else announce(running);
  if (process.env.X_LOCAL_EXPLORER === 'true')
    console.error(`Wrangler’s explorer: ${worker.origin}/cdn-cgi/explorer\n`);
  await worker.ended;
  throw new Problem(`The Worker has ended unexpectedly. See ${logFileOf(settings)}.`);
}

/** Opens all databases of wrangler.toml for accounts, except those closed by an operator. */
async function openDatabases(record: ServiceRecord, stateDir: string): Promise<void> {
  const used = await runAdminCommand<{ name: string }[]>(record, 'database list');
  for (const binding of localDatabases(stateDir)) {
    if (used.some(({ name }) => name === binding)) continue;
    await runAdminCommand(record, 'database open', { name: binding });
  }
}

async function seed({ origin, baseUrl, stateDir, localDir }: Settings, record: ServiceRecord): Promise<DemoFacts> {
  const file = join(stateDir, 'demo-seed.json');
  const facts = await seedDemo(readJson<DemoSeed>(file), {
    admin: (command, options) => runAdminCommand(record, command, options),
    create: (apiKey, path, body, idempotencyKey) => create(origin, apiKey, path, body, idempotencyKey),
    listTemplates: (apiKey) => listTemplates(origin, apiKey),
    isOutdated: async (apiKey, key, identifier) => isOutdated(key, await describeTemplate(origin, apiKey, identifier)),
    replaceTemplate: (apiKey, identifier, definition) => replaceTemplate(origin, apiKey, identifier, definition),
    createScanner: (apiKey) => createScanner(origin, apiKey),
    makeAuthority: createDevelopmentAuthority,
    // The root verifies signatures; the rest is for inspection.
    keepAuthority: ({ rootPem, intermediatePem, certificatePem, privateKeyPem }) =>
      keepInAuthority(stateDir, {
        'root.pem': rootPem,
        'intermediate.pem': intermediatePem,
        'certificate.pem': certificatePem,
        'private-key.pem': privateKeyPem,
      }),
    makeIssuerKey: () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      keepInAuthority(stateDir, { 'google-issuer.pem': publicKey.export({ type: 'spki', format: 'pem' }).toString() });
      return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    },
    demoTemplates,
    save: (seed) => writePrivateJson(file, seed),
  });
  const { accountId, apiKey, templates, gatePath } = facts;
  writePrivateJson(join(localDir, 'demo.json'), { baseUrl, accountId, apiKey, templates, scanner: baseUrl + gatePath });
  return facts;
}

/** Writes PEM files into the development authority's folder. */
function keepInAuthority(stateDir: string, files: Record<string, string>): void {
  const folder = join(stateDir, 'development-ca');
  prepareDirectory(folder);
  for (const [name, pem] of Object.entries(files)) writePrivate(join(folder, name), pem);
}

/** Describes the running service for people and programs. */
function describe(settings: Settings, { accountId, apiKey, templates, gatePath }: DemoFacts, signIn: string) {
  const { baseUrl, origin, localDir } = settings;
  return {
    ...{ baseUrl, accountId, apiKey, templates, signIn },
    docs: `${baseUrl}/docs`,
    devInbox: `${origin}/dev/inbox`,
    devClock: `${origin}/dev/clock`,
    scanner: baseUrl + gatePath,
    demoFile: join(localDir, 'demo.json'),
    logFile: logFileOf(settings),
  };
}

function announce({ baseUrl, apiKey, templates, ...running }: ReturnType<typeof describe>): void {
  const body = JSON.stringify({ data: { templateId: templates.coupon } });
  // The other scripts need the folders in these variables.
  const given = ['STATE_DIR', 'LOCAL_DIR'].filter((name) => process.env[name]);
  const places = given.map((name) => `${name}='${process.env[name]}' `).join('');
  const run = (command: string, words?: string) => places + typed(command, words);
  const width = Math.max(...DEMO_KEYS.map((key) => key.length));
  const listed = DEMO_KEYS.map((key) => `  ${key.padEnd(width)}  ${templates[key]}`).join('\n');
  console.log(`
The pass wallet service is running.

  Base URL      ${baseUrl} (open it to try the service)
  API key       ${apiKey}
  API reference ${running.docs}
  Dev inbox     ${running.devInbox}
  Dev clock     ${running.devClock} (docs/testing.md)
  Scanner app   ${running.scanner}
  Sign in       ${running.signIn}
                (works once, within 15 minutes; a new one: ${run('admin', 'sign-in-link --email demo@example.com')})

Demo templates:

${listed}

Create a pass:

  curl -X POST '${baseUrl}/api/v3/pass?async=false' \\
    -H 'Authorization: ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

These values are in ${shownPath(running.demoFile)}, the Worker’s log is in ${shownPath(running.logFile)} (LOG=1 shows it here).
Next: ${run('demo')}, and ${run('phone')} for an iPhone in the terminal; both take a template, as in ${run('demo', 'seasonTicket')}.
Ctrl-C stops the service and keeps its data.
`);
}

function logFileOf({ localDir }: Settings): string {
  return join(localDir, 'worker.log');
}
