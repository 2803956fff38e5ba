import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { renderUnicodeCompact } from 'uqr';
import { createDemoPass, type DemoFile, fileOf, isDemoKey } from './demo/passes.ts';
import { DEMO_KEYS, type DemoKey } from './demo/templates.ts';
import { readJson } from './files.ts';
import { findKitinerary, readWithKitinerary } from './kitinerary.ts';
import { type Check, checkPassFile, checkSaveLink } from './pass-file-check.ts';
import { Problem, ROOT, readSettings, runMain } from './settings.ts';

/*
 * npm run demo [-- <template>]: creates a pass of a demo template, a boarding pass if none is named, through the API of
 * the running service, downloads its pass file and checks it.
 */

/** What KDE's extractor finds in passes of some templates, as schema.org calls it. */
const RESERVATIONS: Partial<Record<DemoKey, { type: string; words: string }>> = {
  boardingPass: { type: 'FlightReservation', words: 'the flight' },
  eventTicket: { type: 'EventReservation', words: 'the event' },
  seasonTicket: { type: 'EventReservation', words: 'the event' },
};

await runMain(async () => {
  const [key = 'boardingPass'] = process.argv.slice(2);
  if (!isDemoKey(key)) throw new Problem(`There is no demo template "${key}": ${DEMO_KEYS.join(', ')}.`);
  const { stateDir, localDir } = readSettings(process.env);
  const demo = readJson<DemoFile>(join(localDir, 'demo.json'));
  if (!demo) throw new Problem('The service has not been started yet: run npm start in another terminal first.');
  await requireService(demo.baseUrl);

  const pass = await createDemoPass(demo, key);
  console.log(`Created ${key} ${pass.identifier} from ${relative(ROOT, fileOf(key))}.`);

  const file = await downloadPassFile(pass.passFileUri, localDir);
  console.log(`Downloaded ${relative(process.cwd(), file)}.`);
  const authority = join(stateDir, 'development-ca');
  const checks = checkPassFile(file, join(authority, 'root.pem'));
  if (pass.walletSaveUri) checks.push(checkSaveLink(pass.walletSaveUri, join(authority, 'google-issuer.pem')));
  const reservation = RESERVATIONS[key];
  if (reservation) checks.push(checkItinerary(file, reservation));
  report(checks);

  console.log(`\n${renderUnicodeCompact(pass.downloadPage)}\n`);
  console.log(`Download page  ${pass.downloadPage}`);
  console.log(`Pass file      ${pass.passFileUri}`);
  console.log(`Google Wallet  ${pass.walletSaveUri ?? 'no save link'}`);
  console.log('\nSigned by the development authority: openssl accepts it, a phone does not.');
});

async function requireService(baseUrl: string): Promise<void> {
  const reply = await fetch(`${baseUrl}/health`).catch(() => undefined);
  if (!reply?.ok)
    throw new Problem(`The service does not answer at ${baseUrl}: run npm start in another terminal first.`);
}

async function downloadPassFile(uri: string, folder: string): Promise<string> {
  const reply = await fetch(uri);
  if (!reply.ok) throw new Problem(`The pass file could not be downloaded from ${uri}: status ${reply.status}.`);
  const file = join(folder, 'demo.pkpass');
  writeFileSync(file, Buffer.from(await reply.arrayBuffer()));
  return file;
}

/** Whether a program that nobody here wrote finds what the pass is for. */
function checkItinerary(file: string, { type, words }: { type: string; words: string }): Check {
  const promise = `KDE reads ${words}`;
  const extractor = findKitinerary();
  if (!extractor) return { promise, detail: 'not checked, because libkpimitinerary-bin is not installed' };
  const [reservation] = readWithKitinerary(extractor, file);
  return { promise, passed: reservation?.['@type'] === type };
}

function report(checks: Check[]): void {
  for (const { promise, passed, detail } of checks) {
    const mark = passed === undefined ? '-' : passed ? '✓' : '✗';
    console.log(`${mark} ${promise}${detail ? `: ${detail}` : ''}`);
  }
  if (checks.some(({ passed }) => passed === false)) throw new Problem('The pass has errors.');
}
