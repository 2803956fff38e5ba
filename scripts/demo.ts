import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { renderUnicodeCompact } from 'uqr';
import { BODY_FILE, createDemoPass, type DemoFile } from './demo/boarding-pass.ts';
import { readJson } from './files.ts';
import { findKitinerary, readWithKitinerary } from './kitinerary.ts';
import { type Check, checkPassFile, checkSaveLink } from './pass-file-check.ts';
import { Problem, ROOT, readSettings, runMain } from './settings.ts';

/*
 * npm run demo: creates a boarding pass through the API of the running service from scripts/demo/boarding-pass.json,
 * downloads its pass file and checks it.
 */

await runMain(async () => {
  const { stateDir, localDir } = readSettings(process.env);
  const demo = readJson<DemoFile>(join(localDir, 'demo.json'));
  if (!demo) throw new Problem('The service has not been started yet: run npm start in another terminal first.');
  await requireService(demo.baseUrl);

  const pass = await createDemoPass(demo);
  console.log(`Created boarding pass ${pass.identifier} from ${relative(ROOT, BODY_FILE)}.`);

  const file = await downloadPassFile(pass.passFileUri, localDir);
  console.log(`Downloaded ${relative(process.cwd(), file)}.`);
  const authority = join(stateDir, 'development-ca');
  const checks = checkPassFile(file, join(authority, 'root.pem'));
  if (pass.walletSaveUri) checks.push(checkSaveLink(pass.walletSaveUri, join(authority, 'google-issuer.pem')));
  checks.push(checkItinerary(file));
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

/** Whether a program that nobody here wrote finds the flight. */
function checkItinerary(file: string): Check {
  const promise = 'KDE reads the flight';
  const extractor = findKitinerary();
  if (!extractor) return { promise, detail: 'not checked, because libkpimitinerary-bin is not installed' };
  const [flight] = readWithKitinerary(extractor, file);
  return { promise, passed: flight?.['@type'] === 'FlightReservation' };
}

function report(checks: Check[]): void {
  for (const { promise, passed, detail } of checks) {
    const mark = passed === undefined ? '-' : passed ? '✓' : '✗';
    console.log(`${mark} ${promise}${detail ? `: ${detail}` : ''}`);
  }
  if (checks.some(({ passed }) => passed === false)) throw new Problem('The pass has errors.');
}
