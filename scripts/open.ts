import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runAdminCommand } from './admin-client.ts';
import { OPEN, OPENED_PAGES } from './cli/commands/open.ts';
import { meant } from './cli/nearest.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { readJson } from './files.ts';
import { getService, type ServiceRecord } from './service-record.ts';
import { readSettings, runMain, type Settings, UsageProblem } from './settings.ts';

/* pass-wallet open: opens a page of the local service in the default browser. */

type Page = (typeof OPENED_PAGES)[number];

const DEMO_EMAIL = 'demo@example.com';
/** Each system's command for opening an address, with its first arguments. */
const OPENERS: Partial<Record<NodeJS.Platform, [program: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

await runMain(async () => {
  const { values, words } = await readCommandLine('open', OPEN);
  const page = pageOf(words);
  const settings = readSettings(process.env);
  const record = await getService(settings.stateDir);
  const url = await addressOf(page, record, settings);
  const opened = !values.print && (await opens(url));
  if (values.json) console.log(JSON.stringify({ page, url, opened }));
  else console.log(opened || values.print ? url : `Open this address in a browser: ${url}`);
});

function pageOf([page = 'console', ...others]: string[]): Page {
  if (others.length > 0) throw new UsageProblem('Give one page.');
  const known = OPENED_PAGES.find((one) => one === page);
  if (known) return known;
  throw new UsageProblem(`There is no page "${page}": ${OPENED_PAGES.join(', ')}.${meant(page, OPENED_PAGES)}`);
}

async function addressOf(page: Page, record: ServiceRecord, { localDir }: Settings): Promise<string> {
  const { baseUrl, origin } = record;
  if (page === 'docs') return `${baseUrl}/docs`;
  if (page === 'inbox' || page === 'clock') return `${origin}/dev/${page}`;
  if (page === 'scanner')
    return readJson<{ scanner: string }>(join(localDir, 'demo.json'))?.scanner ?? `${baseUrl}/scan`;
  return (await runAdminCommand<{ url: string }>(record, 'sign-in-link', { email: DEMO_EMAIL })).url;
}

/** Whether a program opened the address. */
async function opens(url: string): Promise<boolean> {
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  child.unref();
  return once(child, 'spawn').then(
    () => true,
    () => false,
  );
}
