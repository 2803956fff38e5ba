import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT } from './settings.ts';

/** Names another browser than those that are found; it has to be Chromium or Chrome. */
export const CHROMIUM_PATH = 'CHROMIUM_PATH';

/** Names of Chromium and Chrome on the PATH, the usual ones of Linux distributions. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Debian's name for Chromium without windows and cameras. */
const HEADLESS_SHELL = 'chromium-headless-shell';

/** What looking for a browser depends on. */
export interface Machine {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
  exists: (path: string) => boolean;
}

const THIS_MACHINE: Machine = { platform: process.platform, env: process.env, home: homedir(), exists: existsSync };

/** The Chromium or Chrome of a machine, at the usual places of its system; undefined when there is none. */
export function findChromium(machine: Machine = THIS_MACHINE): string | undefined {
  const named = machine.env[CHROMIUM_PATH];
  // A wrong name is no reason to take another browser than the one that was asked for.
  if (named) return machine.exists(named) ? named : undefined;
  return placesOf(machine).find(machine.exists);
}

/**
 * A Chromium that draws pages and no windows around them, which takes half of the processor time; undefined when there
 * is none, or another browser was asked for.
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
 * The browser for the tests, installed when there is none: Debian's package for root, otherwise Playwright's download.
 * Returns its path, or `problem`, one sentence that says what is missing.
 */
export function provideChromium(): { path: string } | { problem: string } {
  const named = process.env[CHROMIUM_PATH];
  const found = findChromium() ?? (named ? undefined : downloaded());
  if (found) return { path: found };
  if (named) return { problem: `There is no Chromium at ${named}, which ${CHROMIUM_PATH} names.` };
  console.log('There is no Chromium or Chrome on this machine; installing one …');
  const path = installDebianPackage() ?? installDownload();
  return path
    ? { path }
    : { problem: `The browser tests need Chromium or Chrome: install one, or name yours in ${CHROMIUM_PATH}.` };
}

/** What Playwright has downloaded before. */
function downloaded(): string | undefined {
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

function installDebianPackage(): string | undefined {
  if (process.getuid?.() !== 0 || !runs('apt-get', ['--version'])) return undefined;
  // Pages are measured in these fonts: DejaVu, which Chromium falls back to, is a tenth wider than what people have.
  const packages = ['chromium', 'fonts-liberation'];
  const install = ['install', '--quiet', '--yes', '--no-install-recommends'];
  runs('apt-get', ['update', '--quiet']);
  // An older distribution has no headless shell, and the tests need none.
  runs('apt-get', [...install, ...packages, HEADLESS_SHELL]) || runs('apt-get', [...install, ...packages]);
  return findChromium();
}

function installDownload(): string | undefined {
  const cli = join(ROOT, 'node_modules', 'playwright-core', 'cli.js');
  return runs(process.execPath, [cli, 'install', 'chromium', '--no-shell']) ? downloaded() : undefined;
}

/** Runs a program with its output on standard error; whether it succeeded. */
function runs(program: string, parameters: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, parameters, { stdio: ['ignore', 2, 2], env }).status === 0;
}
