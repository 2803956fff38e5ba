import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { writeCameraVideo } from '../camera-video.ts';
import { keepForDocs, keepForFrontPage, shoot, sideBySide } from './keep-picture.ts';

const NARROW = { width: 360, height: 780 };
const PHONE = { width: 390, height: 844 };

/** Codes of unscanned passes: one for the camera, two typed. */
type Codes = [seen: string, offline: string, alone: string];

/** Takes the scanner app at a door: its states side by side, and one alone. */
export async function takeScannerPictures(executablePath: string, address: string, [seen, offline, alone]: Codes) {
  const folder = mkdtempSync(join(tmpdir(), 'pictures-camera-'));
  const video = join(folder, 'camera.y4m');
  await writeCameraVideo(video, seen);
  const args = ['--no-sandbox', '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${video}`];
  const browser = await chromium.launch({
    executablePath,
    args: [...args, '--autoplay-policy=no-user-gesture-required'],
  });
  try {
    await takeStates(browser, address, seen, offline);
    await takeAccepted(browser, address, alone);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes four states side by side: the camera, and three results. */
async function takeStates(browser: Browser, address: string, code: string, offlineCode: string) {
  const context = await browser.newContext({ permissions: ['camera'], viewport: NARROW, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('#result').waitFor();
  const accepted = await shoot(page);
  await toNext(page);
  const camera = await shoot(page);
  await typeCode(page, code);
  const used = await shoot(page);
  await toNext(page);
  await context.setOffline(true);
  await typeCode(page, offlineCode);
  const waiting = await page.screenshot({ animations: 'disabled' });
  await context.close();
  await keepForDocs(
    'scanner-app',
    await sideBySide([camera, accepted, used, waiting], { gap: 24, radii: [22, 22, 22, 22] }),
  );
}

async function takeAccepted(browser: Browser, address: string, code: string): Promise<void> {
  const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 1.5, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(address);
  await typeCode(page, code);
  await keepForFrontPage('scanner', await shoot(page));
  await context.close();
}

async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByRole('button', { name: 'Enter code' }).click();
  await page.getByLabel('Code on the pass').fill(code);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('#result').waitFor();
}

/** A result can't be dismissed for a moment. */
async function toNext(page: Page): Promise<void> {
  const result = page.locator('#result');
  while (await result.isVisible()) {
    await page.getByRole('button', { name: 'Next' }).click();
    await result.waitFor({ state: 'hidden', timeout: 500 }).catch(() => undefined);
  }
}
