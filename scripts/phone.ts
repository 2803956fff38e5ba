import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PhoneProblem, SimulatedPhone } from '../test/support/phone.ts';
import type { HeldPass } from '../test/support/phone-pass.ts';
import { PHONE } from './cli/commands/phone.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { typed } from './cli/program.ts';
import { createDemoPass, type DemoFile } from './demo/passes.ts';
import { readJson } from './files.ts';
import { checkPassEntries } from './pass-file-check.ts';
import { type PhoneCommand, readPhoneOptions } from './phone/options.ts';
import { openPushRoute, type PushRoute } from './phone/push-route.ts';
import { jsonScreen, type Screen, terminalScreen } from './phone/screen.ts';
import { getService } from './service-record.ts';
import { Problem, readSettings, runMain } from './settings.ts';
import { whenStopRequested } from './stop-request.ts';

/*
 * npm run phone -- <download link or demo template>: simulates an iPhone in the terminal. It downloads and checks the
 * pass, registers, receives pushes over real HTTP/2 from a stand-in for Apple, fetches updates and shows the changes.
 */

await runMain(async () => {
  await readCommandLine('phone', PHONE);
  const command = readPhoneOptions(process.argv.slice(2));
  const screen = command.json
    ? jsonScreen(command.language, (line) => console.log(line))
    : terminalScreen(process.stdout, command.language);
  const stopRequested = whenStopRequested();
  try {
    await run(command, screen, stopRequested);
  } catch (error) {
    throw error instanceof PhoneProblem ? new Problem(error.message) : error;
  }
});
process.exit();

async function run(command: PhoneCommand, screen: Screen, stopRequested: Promise<unknown>): Promise<void> {
  const settings = readSettings(process.env);
  const service = await getService(settings.stateDir);
  const demo = readJson<DemoFile>(join(settings.localDir, 'demo.json'));
  const link = command.link ?? (await demoLink(demo, command));
  const phone = new SimulatedPhone({ pin: command.pin, language: command.language });
  const rootFile = join(settings.stateDir, 'development-ca', 'root.pem');
  const passes = await phone.download(link);
  screen.downloaded(passes.map((pass) => ({ pass, checks: checkPassEntries(pass.files, rootFile) })));
  const passTypeIds = [...new Set(passes.map(({ content }) => content.passTypeIdentifier))];
  const route = await openPushRoute(service, passTypeIds, (token, topic) => {
    if (token === phone.pushToken) phone.receivePush(topic);
  });
  try {
    screen.registered(await phone.register());
    // Wallet asks for updates once it is registered. Later changes are compared with this answer.
    await phone.update();
    screen.waiting(route, demo ? hintsFor(passes[0]!, demo) : []);
    await follow(phone, command, screen, stopRequested);
  } finally {
    await end(phone, command, screen, route);
  }
}

/** Shows each push's update until the phone is stopped or, with `once`, one update has arrived. */
async function follow(
  phone: SimulatedPhone,
  { once: onlyOnce, waitMs = Number.POSITIVE_INFINITY, json }: PhoneCommand,
  screen: Screen,
  stopRequested: Promise<unknown>,
): Promise<void> {
  const stopped = stopRequested.then(() => 'stopped' as const);
  const asked = askedByEnter(json);
  let pushed = phone.waitForPush(waitMs);
  for (;;) {
    const seen = await Promise.race([pushed.then((topic) => ({ topic })), asked.next(), stopped]);
    if (seen === 'stopped') {
      pushed.catch(() => {});
      return;
    }
    if (typeof seen === 'object') {
      screen.pushed(seen.topic);
      pushed = phone.waitForPush(waitMs);
    }
    const updates = await phone.update();
    screen.updated(updates);
    if (onlyOnce && updates.some(({ status }) => status !== 'unchanged')) {
      pushed.catch(() => {});
      return;
    }
  }
}

/** Enter simulates pull-to-refresh. A program has no such key. */
function askedByEnter(json: boolean): { next(): Promise<'asked'> } {
  if (json || !process.stdin.isTTY) return { next: () => new Promise(() => {}) };
  const reader = createInterface({ input: process.stdin });
  return { next: () => once(reader, 'line').then(() => 'asked') };
}

async function end(phone: SimulatedPhone, { keep }: PhoneCommand, screen: Screen, route: PushRoute): Promise<void> {
  try {
    if (!keep) screen.unregistered(await phone.unregister());
  } catch {
    screen.warned('The service no longer answers. The registration stays.');
  }
  const [left] = await route.close();
  if (left) {
    screen.warned(
      `Pushes are still routed to the phone. To reset that: ${typed('admin', `certificate push --id ${left} --none`)}`,
    );
  }
}

async function demoLink(demo: DemoFile | undefined, { template }: PhoneCommand): Promise<string> {
  if (!demo) throw new Problem('Give the link of a pass.');
  return (await createDemoPass(demo, template)).downloadPage;
}

/** Returns commands to try in another terminal; they work for passes of the demo account. */
function hintsFor({ content, style }: HeldPass, { baseUrl, apiKey }: DemoFile): string[] {
  const id = content.serialNumber;
  const call = (method: string, path: string, body: object) =>
    `curl -X ${method} '${baseUrl}${path}' -H 'Authorization: ${apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const isFlight = content.semantics !== undefined && 'flightNumber' in (content.semantics as object);
  const gate = call('PATCH', `/api/v3/pass/${id}`, { data: { originAirportGate: 'B12' } });
  return [
    'In another terminal, for a pass of the demo account:',
    call('POST', `/api/pass/${id}/sendpushnotification`, { pushNotificationText: 'Boarding starts in ten minutes' }),
    ...(style === 'boardingPass' && isFlight ? [gate] : []),
    call('PUT', `/api/pass/${id}`, { voided: true }),
  ];
}
