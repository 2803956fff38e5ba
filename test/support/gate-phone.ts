import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { BarcodeFormat } from '../../src/platform/barcodes.ts';
import { openBrowser } from './browser.ts';
import { writeCameraVideo } from './camera-video.ts';
import { eventually } from './control.ts';

const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** A phone at the door: Chromium with a camera that sees what the test holds in front of it. */
export interface GatePhone {
  /** What the camera sees when it is next started; an empty room without a value. */
  hold(value?: string, format?: BarcodeFormat): Promise<void>;
  /** Opens a page in a fresh profile; `close` fails the test if the browser had anything to complain about. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** What a browser says of a request that failed, or was answered with a status that the app deals with. */
const EXPECTED = /Failed to load resource/;

export async function openPhone(): Promise<GatePhone> {
  const folder = mkdtempSync(join(tmpdir(), 'gate-camera-'));
  const video = join(folder, 'camera.y4m');
  await writeCameraVideo(video);
  const browser = await openBrowser(
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${video}`,
    '--autoplay-policy=no-user-gesture-required',
  );
  return {
    hold: (value, format) => writeCameraVideo(video, value, format),
    async open(options = {}) {
      const { origin } = inject('worker');
      const context = await browser.newContext({ baseURL: origin, permissions: ['camera'], ...PHONE, ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      const close = async () => {
        await context.close();
        expect(complaints.filter((text) => !EXPECTED.test(text))).toEqual([]);
      };
      return { page, context, close };
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
