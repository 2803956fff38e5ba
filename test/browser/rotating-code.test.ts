import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type Client, freshAccount } from '../support/api.ts';
import { type Configuration, createConfiguration, scan } from '../support/app-scans.ts';
import { openPage } from '../support/browser.ts';
import { eventually } from '../support/control.ts';

const PERIOD_SECONDS = 60;
const DAY_MS = 24 * 60 * 60_000;

let client: Client;
let door: Configuration;

beforeAll(async () => {
  const reader = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(reader)).buffer } });
  client = await freshAccount();
  door = await createConfiguration(client, { scanMode: 1 });
});

/** Reads the code like a camera in front of the screen. */
async function readCode(page: Page): Promise<string> {
  const [code] = await readBarcodes(await page.locator('figure.card-barcode img').first().screenshot());
  return code?.text ?? '';
}

test.each(['qr', 'pdf417'] as const)(
  'the download page redraws a %s in each period, without a request, by the service’s clock',
  async (format) => {
    const rotating = { periodSeconds: PERIOD_SECONDS, digits: 8 };
    const templateId = await client.createTemplate({ barcode: { format, rotating } });
    const { linkToPassPage, barcodeValue } = await client.createPass(templateId);
    const { page, close } = await openPage();
    // The phone's clock is a day behind.
    await page.clock.install({ time: Date.now() - DAY_MS });
    await page.goto(new URL(linkToPassPage).pathname);
    await expect.poll(() => page.locator('figure.card-barcode img').first().getAttribute('src')).toMatch(/^data:/);
    const requests: string[] = [];
    page.on('request', (request) => request.url().startsWith('http') && requests.push(request.url()));

    const first = await readCode(page);
    expect(first).toMatch(new RegExp(`^${barcodeValue}\\.\\d{8}$`));
    expect((await scan(client, door, first)).body).toMatchObject({ scanStatus: 2, validityReason: null });
    expect((await scan(client, door, first)).body).toMatchObject({ scanStatus: 1, validityReason: 'stale_code' });

    await page.clock.fastForward(PERIOD_SECONDS * 1_000);
    await eventually(async () => (await readCode(page)) !== first);
    const second = await readCode(page);
    expect((await scan(client, door, second)).body).toMatchObject({ scanStatus: 2 });
    expect(requests).toEqual([]);
    await close();
  },
);

test('without a script, the page has the current code, and its print version has none', async () => {
  const templateId = await client.createTemplate({ barcode: { rotating: { periodSeconds: 120, digits: 6 } } });
  const { linkToPassPage } = await client.createPass(templateId);
  const { pathname } = new URL(linkToPassPage);
  const { page, close } = await openPage({ javaScriptEnabled: false });
  await page.goto(pathname);
  expect((await scan(client, door, await readCode(page))).body).toMatchObject({ scanStatus: 2 });
  await page.goto(`${pathname}?print`);
  expect(await page.locator('.sheet-body img').count()).toBe(0);
  expect(await page.locator('.sheet-body').textContent()).toContain(
    'This code changes constantly, so it can’t be printed.',
  );
  await close();
});
