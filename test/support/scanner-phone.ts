import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { writeCameraVideo } from '../../scripts/camera-video.ts';
import type { BarcodeFormat } from '../../src/platform/barcode-formats.ts';
import { type OpenPage, openBrowser, openPage } from './browser.ts';
import { eventually } from './control.ts';
import { PHONE } from './page-faults.ts';

/** A phone at the door: Chromium with a camera that sees what the test holds in front of it. */
export interface ScannerPhone {
  /** What the camera sees when it is next started; an empty room without a value. */
  hold(value?: string, format?: BarcodeFormat): Promise<void>;
  /** Opens a page in a fresh profile; `close` fails the test if the browser had anything to complain about. */
  open(options?: BrowserContextOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

/** What a browser says of a request that failed, or was answered with a status that the app deals with. */
const EXPECTED = /Failed to load resource/;

export async function openPhone(): Promise<ScannerPhone> {
  const folder = mkdtempSync(join(tmpdir(), 'scanner-camera-'));
  const video = join(folder, 'camera.y4m');
  await writeCameraVideo(video);
  const browser = await openBrowser(
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${video}`,
    '--autoplay-policy=no-user-gesture-required',
  );
  return {
    hold: (value, format) => writeCameraVideo(video, value, format),
    open(options) {
      return openPage(browser, { permissions: ['camera'], viewport: PHONE, hasTouch: true, ...options }, EXPECTED);
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The colored screen. */
export const result = (page: Page) => page.locator('#result');

/** The word on it. */
export const word = (page: Page) => page.locator('#result-word').textContent();

export const textOf = (page: Page, selector: string) => page.locator(selector).textContent();

/** Types a code as a person does. */
export async function typeCode(page: Page, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Type code' }).click();
  await page.getByLabel('Code on the pass').fill(value);
  await page.getByRole('button', { name: 'Check' }).click();
}

/** Types a code, and waits for the colored screen. */
export async function checkCode(page: Page, value: string): Promise<string | null> {
  await typeCode(page, value);
  await result(page).waitFor();
  return word(page);
}

/** Takes the result away, which stands still for a moment first. */
export async function dismiss(page: Page): Promise<void> {
  await eventually(async () => {
    if (await result(page).isVisible()) await page.getByRole('button', { name: 'Next' }).click();
    return !(await result(page).isVisible());
  });
}
