import type { LaunchOptions } from 'playwright-core';
import { findHeadlessShell, provideChromium } from '../../scripts/chromium.ts';

/**
 * Returns the options for starting the machine's browser, preferably the headless shell. Its cameras play
 * `cameraVideo`.
 */
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
      // The headless shell doesn't prompt, and would deny access.
      '--use-fake-ui-for-media-stream',
      // Colored edges of letters double the time that the compositor needs to draw a frame.
      '--disable-lcd-text',
      '--autoplay-policy=no-user-gesture-required',
      // Start no spare process for pages that are never opened. Each profile still has its own.
      '--renderer-process-limit=1',
      // Test pages are too short-lived for script optimization to pay off.
      '--js-flags=--no-opt --no-maglev',
    ],
  };
}
