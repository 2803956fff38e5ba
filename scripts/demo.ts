import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { renderUnicodeCompact } from 'uqr';
import { DEMO } from './cli/commands/demo.ts';
import { meant } from './cli/nearest.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { shownPath, typed } from './cli/program.ts';
import { Progress } from './cli/progress.ts';
import { createDemoPass, type DemoFile, fileOf, isDemoKey } from './demo/passes.ts';
import { DEMO_KEYS, type DemoKey } from './demo/templates.ts';
import { readJson, writePrivate } from './files.ts';
import { findKitinerary, readWithKitinerary } from './kitinerary.ts';
import { type Check, checkPassFile, checkSaveLink } from './pass-file-check.ts';
import { Problem, ROOT, readSettings, runMain, UsageProblem } from './settings.ts';

/*
 * npm run demo [-- <template>]: creates a pass from a demo template, by default a boarding pass, through the running
 * service's API. Downloads its pass file and checks it.
 */

/** What KDE's extractor finds in passes of some templates, in schema.org terms. */
const RESERVATIONS: Partial<Record<DemoKey, { type: string; words: string }>> = {
  boardingPass: { type: 'FlightReservation', words: 'the flight' },
  eventTicket: { type: 'EventReservation', words: 'the event' },
  seasonTicket: { type: 'EventReservation', words: 'the event' },
};

const STEPS = 3;

await runMain(
  async () => {
    const { values, words } = await readCommandLine('demo', DEMO);
    const [key = 'boardingPass', ...others] = words;
    if (!isDemoKey(key)) {
      throw new UsageProblem(`There is no demo template "${key}": ${DEMO_KEYS.join(', ')}.${meant(key, DEMO_KEYS)}`);
    }
    if (others.length > 0) throw new UsageProblem('Give one template.');
    const { stateDir, localDir } = readSettings(process.env);
    const demo = readJson<DemoFile>(join(localDir, 'demo.json'));
    const start = `run ${typed('start')} in another terminal, and wait until it prints the API key.`;
    if (!demo) throw new Problem(`The service has not been started, or is still starting: ${start}`);
    const progress = new Progress(STEPS);
    progress.step('Creating a pass');
    await requireService(demo.baseUrl, start);
    const pass = await createDemoPass(demo, key);
    progress.step('Downloading its file');
    const file = await downloadPassFile(pass.passFileUri, localDir);
    progress.step('Checking its signature');
    const checks = checkAll(key, file, pass.walletSaveUri, join(stateDir, 'development-ca'));
    progress.end();
    const { identifier, downloadPage, passFileUri, walletSaveUri = null } = pass;
    const made = { template: key, identifier, downloadPage, passFileUri, walletSaveUri, file, checks };
    if (values.json) console.log(JSON.stringify(made));
    else report(made);
    if (checks.some(({ passed }) => passed === false)) process.exitCode = 1;
  },
  { interrupted: 'Interrupted. A pass that was created stays in the demo account.' },
);

interface Made {
  template: DemoKey;
  identifier: string;
  downloadPage: string;
  passFileUri: string;
  walletSaveUri: string | null;
  file: string;
  checks: Check[];
}

function report({ template, identifier, file, checks, ...links }: Made): void {
  console.log(`Created ${template} ${identifier} from ${relative(ROOT, fileOf(template))}.`);
  console.log(`Downloaded ${shownPath(file)}.`);
  for (const { promise, passed, detail } of checks) {
    const [mark, color] =
      passed === undefined ? (['-', 'dim'] as const) : passed ? (['✓', 'green'] as const) : (['✗', 'red'] as const);
    console.log(`${styleText(color, `${mark} ${promise}`)}${detail ? `: ${detail}` : ''}`);
  }
  if (checks.some(({ passed }) => passed === false)) throw new Problem('The pass has errors.');
  console.log(`\n${renderUnicodeCompact(links.downloadPage)}\n`);
  console.log(`Download page  ${links.downloadPage}`);
  console.log(`Pass file      ${links.passFileUri}`);
  console.log(`Google Wallet  ${links.walletSaveUri ?? 'no save link'}`);
  console.log('\nSigned by the development authority: openssl accepts it, a phone does not.');
}

function checkAll(key: DemoKey, file: string, saveUri: string | null | undefined, authority: string): Check[] {
  const checks = checkPassFile(file, join(authority, 'root.pem'));
  if (saveUri) checks.push(checkSaveLink(saveUri, join(authority, 'google-issuer.pem')));
  const reservation = RESERVATIONS[key];
  return reservation ? [...checks, checkItinerary(file, reservation)] : checks;
}

async function requireService(baseUrl: string, start: string): Promise<void> {
  const reply = await fetch(`${baseUrl}/health`).catch(() => undefined);
  if (!reply?.ok) throw new Problem(`The service does not answer at ${baseUrl}: ${start}`);
}

async function downloadPassFile(uri: string, folder: string): Promise<string> {
  const reply = await fetch(uri);
  if (!reply.ok) throw new Problem(`The pass file could not be downloaded from ${uri}: status ${reply.status}.`);
  const file = join(folder, 'demo.pkpass');
  writePrivate(file, Buffer.from(await reply.arrayBuffer()));
  return file;
}

/** Whether an independent program finds the reservation in the pass. */
function checkItinerary(file: string, { type, words }: { type: string; words: string }): Check {
  const promise = `KDE reads ${words}`;
  const extractor = findKitinerary();
  if (!extractor) return { promise, detail: 'not checked, because libkpimitinerary-bin is not installed' };
  const [reservation] = readWithKitinerary(extractor, file);
  return { promise, passed: reservation?.['@type'] === type };
}
