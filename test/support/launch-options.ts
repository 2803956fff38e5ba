import type { LaunchOptions } from 'playwright-core';
import { findHeadlessShell, provideChromium } from '../../scripts/chromium.ts';

/** How the machine's Chromium or Chrome is started: as a whole with switches, which a headless shell may not know. */
export function launchOptions(switches: string[] = []): LaunchOptions {
  const found = provideChromium();
  if ('problem' in found) throw new Error(found.problem);
  return {
    executablePath: (switches.length === 0 ? findHeadlessShell() : undefined) ?? found.path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers often have a very small /dev/shm.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...switches,
    ],
  };
}
