import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ROOT } from './settings.ts';

/** Overrides the browser search. Must be Chromium or Chrome. */
export const CHROMIUM_PATH = 'CHROMIUM_PATH';

/** Command names of Chromium and Chrome in common Linux distributions. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Debian's package of headless Chromium. */
const HEADLESS_SHELL = 'chromium-headless-shell';

/** The machine properties that the browser search depends on. */
export interface Machine {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
  exists: (path: string) => boolean;
}

const THIS_MACHINE: Machine = { platform: process.platform, env: process.env, home: homedir(), exists: existsSync };

/** Returns the machine's Chromium or Chrome, from the usual places of its system; undefined if there is none. */
export function findChromium(machine: Machine = THIS_MACHINE): string | undefined {
  const named = machine.env[CHROMIUM_PATH];
  // If the given path is wrong, don't fall back to another browser.
  if (named) return machine.exists(named) ? named : undefined;
  return placesOf(machine).find(machine.exists);
}

/**
 * Returns a headless Chromium, which takes half the processor time. Undefined if there is none, or if another browser
 * is configured.
 */
export function findHeadlessShell(machine: Machine = THIS_MACHINE): string | undefined {
  if (machine.env[CHROMIUM_PATH] || machine.platform !== 'linux') return undefined;
  return commandPlaces([HEADLESS_SHELL], machine).find(machine.exists);
}

function placesOf({ platform, env, home }: Machine): string[] {
  if (platform === 'darwin') {
    return ['/Applications', join(home, 'Applications')].flatMap((folder) =>
      ['Google Chrome', 'Chromium'].map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (platform === 'win32') {
    return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].flatMap((folder) =>
      ['Google\\Chrome', 'Chromium'].map((name) => `${folder}\\${name}\\Application\\chrome.exe`),
    );
  }
  return commandPlaces(COMMANDS, { env });
}

function commandPlaces(commands: string[], { env }: Pick<Machine, 'env'>): string[] {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin', '/snap/bin'];
  return commands.flatMap((command) => folders.map((folder) => join(folder, command)));
}

/**
 * Returns the path of the browser for the tests. Installs one if needed: Debian's package for root, otherwise
 * Playwright's download. On failure, returns `problem`, a sentence that says what is missing.
 */
export function provideChromium(): { path: string } | { problem: string } {
  const named = process.env[CHROMIUM_PATH];
  const found = findChromium() ?? (named ? undefined : downloaded());
  if (found) return { path: found };
  if (named) return { problem: `There is no Chromium at ${named}, the path in ${CHROMIUM_PATH}.` };
  console.log('There is no Chromium or Chrome on this machine; installing one …');
  const path = installDebianPackage() ?? installDownload();
  return path
    ? { path }
    : { problem: `The browser tests need Chromium or Chrome: install one, or set ${CHROMIUM_PATH} to its path.` };
}

/** Returns the browser that Playwright downloaded earlier. */
function downloaded(): string | undefined {
  // Loading it takes longer than all other modules of a test run.
  const { chromium }: typeof import('playwright-core') = createRequire(import.meta.url)('playwright-core');
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

function installDebianPackage(): string | undefined {
  if (process.getuid?.() !== 0 || !runs('apt-get', ['--version'])) return undefined;
  // Layout tests need these fonts: Chromium's fallback, DejaVu, is a tenth wider than common fonts.
  const packages = ['chromium', 'fonts-liberation'];
  const install = ['install', '--quiet', '--yes', '--no-install-recommends'];
  runs('apt-get', ['update', '--quiet']);
  // Older distributions have no headless shell. The tests run without it.
  runs('apt-get', [...install, ...packages, HEADLESS_SHELL]) || runs('apt-get', [...install, ...packages]);
  return findChromium();
}

function installDownload(): string | undefined {
  const cli = join(ROOT, 'node_modules', 'playwright-core', 'cli.js');
  return runs(process.execPath, [cli, 'install', 'chromium', '--no-shell']) ? downloaded() : undefined;
}

/** Runs a program with its output on standard error. Returns whether it succeeded. */
function runs(program: string, parameters: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, parameters, { stdio: ['ignore', 2, 2], env }).status === 0;
}
