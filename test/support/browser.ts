import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';

/** Starts the Chromium that CHROMIUM_PATH names, or Debian's, with more switches. It reaches loopback and nothing else. */
export async function openBrowser(...switches: string[]): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? DEBIAN_CHROMIUM;
  if (!existsSync(executablePath)) {
    throw new Error(`There is no Chromium at ${executablePath}: install it, or name yours in CHROMIUM_PATH`);
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers often have a very small /dev/shm.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...switches,
    ],
  });
}
