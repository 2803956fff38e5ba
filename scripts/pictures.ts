import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, devices, type Page } from 'playwright-core';
import sharp from 'sharp';
import { uuidv7 } from '../src/platform/ids.ts';
import { onLocalState } from './admin-worker.ts';
import { findChromium } from './chromium.ts';
import { createDemoPass, type DemoFile } from './demo/passes.ts';
import { readJson } from './files.ts';
import { called, walletOf } from './public-api.ts';
import { Problem, ROOT, readSettings, runMain } from './settings.ts';

/*
 * npm run pictures: takes the pictures of README and docs from the pages of the running service, with passes and scans
 * that it makes there. Start the service on a new STATE_DIR first, because the pictures show all that is in it.
 */

const FOLDER = join(ROOT, '.github', 'images');
const PHONE = { width: 390, height: 844 };
const IPHONE = devices['iPhone 15']?.userAgent ?? '';
const DESKTOP = { width: 1_280, height: 860 };
const NAMES = ['Mira Castellan', 'Jonas Feld', 'Leonie Farkas', 'Tomás Herrera', 'Ada Lindqvist', 'Noor Adler'];

await runMain(async () => {
  const { localDir } = readSettings(process.env);
  const demo = readJson<DemoFile & { accountId: string }>(join(localDir, 'demo.json'));
  const executablePath = findChromium();
  if (!demo) throw new Problem('The service has not been started yet: run npm start in another terminal first.');
  if (!executablePath) throw new Problem('There is no Chromium or Chrome at the usual places; set CHROMIUM_PATH.');
  const shown = await fill(demo);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await takeHolderPictures(browser, shown.downloadPage);
    await takeConsolePictures(browser, demo, shown.identifier);
  } finally {
    await browser.close();
  }
});

/** Makes passes and scans, and returns the pass that the pictures show. */
async function fill(demo: DemoFile): Promise<{ identifier: string; downloadPage: string }> {
  const wallet = walletOf(demo.baseUrl, demo.apiKey);
  const [configuration] = (await called(wallet.listAppConfigurations().next())).value ?? [];
  if (!configuration) throw new Problem('The demo account has no app configuration.');
  for (const [i, name] of NAMES.entries()) {
    const [firstName, lastName] = name.split(' ');
    const card = { templateId: demo.templates.storeCard, userProvidedId: `member-${1_007 + i}`, firstName, lastName };
    const ticket = { templateId: demo.templates.eventTicket, userProvidedId: `order-${2_031 + i}`, guestName: name };
    await called(wallet.createPassV3({ query: { async: false }, body: { data: card } }));
    const { data } = await called(wallet.createPassV3({ query: { async: false }, body: { data: ticket } }));
    // One guest tries to enter twice.
    for (let scan = 0; scan < (i === 4 ? 2 : 1); scan++) {
      const found = { scannedBarcodeValue: data.barcodeValue, deviceName: 'North door' };
      await called(wallet.createAppScan({ body: { appConfigurationId: configuration.configurationId, ...found } }));
    }
  }
  return createDemoPass(demo);
}

async function takeHolderPictures(browser: Browser, address: string): Promise<void> {
  await onPage(browser, { viewport: PHONE, deviceScaleFactor: 1.5, userAgent: IPHONE }, async (page) => {
    await page.goto(address);
    await keep(page, 'download-page-phone', { fullPage: true });
  });
  await onPage(browser, { viewport: { ...DESKTOP, height: 900 }, colorScheme: 'dark' }, async (page) => {
    await page.goto(address);
    await keep(page, 'download-page-desktop');
  });
}

async function takeConsolePictures(browser: Browser, demo: DemoFile & { accountId: string }, passId: string) {
  const { url } = await onLocalState(async (run) => {
    const repeat = { repeatKey: uuidv7(), isRepeat: false };
    return (await run('sign-in-link', { email: 'demo@example.com' }, repeat)) as { url: string };
  });
  const account = `${demo.baseUrl}/console/accounts/${demo.accountId}`;
  await onPage(browser, { viewport: DESKTOP }, async (page) => {
    await page.goto(url);
    await page.locator('main form button').first().click();
    await page.waitForURL(account);
    await keep(page, 'console-overview');
    await page.goto(`${account}/passes`);
    await keep(page, 'console-passes');
    await page.setViewportSize(PHONE);
    await page.goto(`${account}/passes/${passId}`);
    await keep(page, 'console-pass-phone');
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${account}/templates/${demo.templates.seasonTicket}?look=posterEventTicket&scheme=dark`);
    await keep(page, 'console-designer');
  });
}

async function onPage(browser: Browser, options: BrowserContextOptions, work: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  await work(await context.newPage());
  await context.close();
}

/** Keeps what a page shows as a PNG with a palette, which takes a third of the bytes. */
async function keep(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  await page.waitForLoadState('networkidle');
  const png = await page.screenshot({ ...options, animations: 'disabled' });
  const file = join(FOLDER, `${name}.png`);
  await sharp(png).png({ palette: true, compressionLevel: 9 }).toFile(file);
  console.log(file);
}
