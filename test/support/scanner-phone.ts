import type { BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { type CameraPicture, FULL_PICTURE, writeCameraVideo } from '../../scripts/camera-video.ts';
import type { BarcodeFormat } from '../../src/platform/barcode-formats.ts';
import { type OpenPage, openPage } from './browser.ts';
import { eventually } from './control.ts';
import { PHONE } from './page-faults.ts';

/** A phone at the door: Chromium with a fake camera that shows what the test sets. */
export interface ScannerPhone {
  /**
   * Sets what the camera shows at its next start; without a value, an empty room. With a format, the pictures are as
   * large as a camera's; the others are small, because the browser would spend most of its time on them.
   */
  hold(value?: string, format?: BarcodeFormat): Promise<void>;
  /** Opens a page in a new profile; `close` fails the test if the browser reported errors. */
  open(options?: BrowserContextOptions): Promise<OpenPage>;
  /** The same, with a camera that the browser refuses to start; otherwise, tests grant access. */
  openWithoutCamera(options?: BrowserContextOptions): Promise<OpenPage>;
}

/** Enough for a QR code. */
const SMALL_PICTURE: CameraPicture = { width: 432, height: 768, framesPerSecond: 5 };
/** Nothing to read. */
const EMPTY_PICTURE: CameraPicture = { width: 216, height: 384, framesPerSecond: 2 };

/** The browser's messages about failed requests, and statuses that the app handles. */
const EXPECTED = /Failed to load resource|Permissions policy violation: camera/;

export async function openPhone(): Promise<ScannerPhone> {
  const video = inject('cameraVideo');
  const hold = (value?: string, format?: BarcodeFormat) => {
    const picture = value === undefined ? EMPTY_PICTURE : SMALL_PICTURE;
    return writeCameraVideo(video, value, format, format ? FULL_PICTURE : picture);
  };
  await hold();
  return {
    hold,
    open: (options) => openPage({ permissions: ['camera'], viewport: PHONE, hasTouch: true, ...options }, EXPECTED),
    async openWithoutCamera(options) {
      const opened = await openPage({ permissions: [], viewport: PHONE, hasTouch: true, ...options }, EXPECTED);
      await opened.context.route('**/scan/*', async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), 'permissions-policy': 'camera=()' };
        await route.fulfill({ response, headers });
      });
      return opened;
    },
  };
}

/** The colored screen. */
export const result = (page: Page) => page.locator('#result');

/** The word on it. */
export const word = (page: Page) => page.locator('#result-word').textContent();

export const textOf = (page: Page, selector: string) => page.locator(selector).textContent();

/** Types a code like a person. */
export async function typeCode(page: Page, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Enter code' }).click();
  await page.getByLabel('Code on the pass').fill(value);
  await page.getByRole('button', { name: 'Check' }).click();
}

/** Types a code, and waits for the colored screen. */
export async function checkCode(page: Page, value: string): Promise<string | null> {
  await typeCode(page, value);
  await result(page).waitFor();
  return word(page);
}

/** Longer than a result can't be dismissed. */
const SEEN_MILLIS = 1_000;

/** Dismisses the result of a page whose clock the test moves. */
export async function dismissAtOnce(page: Page): Promise<void> {
  await page.clock.fastForward(SEEN_MILLIS);
  await dismiss(page);
}

/** Dismisses the result, which can't be dismissed for a moment. */
export async function dismiss(page: Page): Promise<void> {
  await eventually(async () => {
    if (await result(page).isVisible()) await page.getByRole('button', { name: 'Next' }).click();
    return !(await result(page).isVisible());
  });
}
