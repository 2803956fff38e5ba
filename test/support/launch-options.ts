import type { LaunchOptions } from 'playwright-core';
import { findHeadlessShell, provideChromium } from '../../scripts/chromium.ts';

/** How the machine's browser is started, the headless shell if it has one. Its cameras play `cameraVideo`. */
export function launchOptions(cameraVideo: string): LaunchOptions {
  const found = provideChromium();
  if ('problem' in found) throw new Error(found.problem);
  return {
    executablePath: findHeadlessShell() ?? found.path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      // Containers often have a very small /dev/shm.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${cameraVideo}`,
      // The headless shell asks nobody, and refuses.
      '--use-fake-ui-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      // No page of a test lives long enough to earn back what it costs to optimize its scripts.
      '--js-flags=--no-opt --no-maglev',
    ],
  };
}
