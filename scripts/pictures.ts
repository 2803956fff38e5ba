import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, devices, type Page } from 'playwright-core';
import { uuidv7 } from '../src/platform/ids.ts';
import { onLocalState } from './admin-worker.ts';
import { findChromium } from './chromium.ts';
import type { DemoFile } from './demo/passes.ts';
import { readJson } from './files.ts';
import { fillDemo } from './pictures/fill-demo.ts';
import { keepForDocs, keepForFrontPage, keepForLinks, shoot, sideBySide } from './pictures/keep-picture.ts';
import { takeScannerPictures } from './pictures/scanner-pictures.ts';
import { Problem, readSettings, runMain } from './settings.ts';

/*
 * npm run pictures: takes the pictures of README, docs and front page from the running service, with passes and scans
 * created for them. Start the service with a new STATE_DIR first, because the pictures show all of its data.
 */

const PHONE = { width: 390, height: 844 };
const IPHONE = devices['iPhone 15']?.userAgent ?? '';
const DESKTOP = { width: 1_280, height: 860 };
/** Large enough to show most of the phone in the designer. */
const DESIGNER = { width: 1_180, height: 920 };
const WALLETS_SCALE = 1.5;
/** Height of the phones in the picture, from the top, in points. */
const WALLETS_HEIGHT = 610;
/** Corner radii of the phones. */
const PHONE_RADII = [44, 32];
/** The second phone stands lower and behind the first one. */
const PHONES_GAP = -96;
const PHONES_STEP = 60;
/** Other sites show link previews of 1,200 × 630 pixels. */
const LINK = { viewport: { width: 1_440, height: 756 }, deviceScaleFactor: 1_200 / 1_440 };
const SCHEMES = ['light', 'dark'] as const;

type StorageState = BrowserContextOptions['storageState'];
type PictureDemo = DemoFile & { accountId: string; scanner: string };

await runMain(async () => {
  const { localDir } = readSettings(process.env);
  const demo = readJson<PictureDemo>(join(localDir, 'demo.json'));
  const executablePath = findChromium();
  if (!demo) throw new Problem('The service has not been started yet: run npm start in another terminal first.');
  if (!executablePath) throw new Problem('There is no Chromium or Chrome at the usual places; set CHROMIUM_PATH.');
  const { passId, downloadPage, freshCodes } = await fillDemo(demo);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await takeHolderPictures(browser, downloadPage);
    await takeConsolePictures(browser, demo, passId);
    await takeLinkPicture(browser, demo.baseUrl);
  } finally {
    await browser.close();
  }
  await takeScannerPictures(executablePath, demo.scanner, freshCodes);
});

/** Dark pictures are stored next to the light ones. */
function named(name: string, scheme: (typeof SCHEMES)[number]): string {
  return scheme === 'light' ? name : `${name}-dark`;
}

async function takeHolderPictures(browser: Browser, address: string): Promise<void> {
  await onPage(browser, { viewport: PHONE, deviceScaleFactor: 1.5, userAgent: IPHONE }, async (page) => {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.goto(address);
      await keepForFrontPage(named('download-page', colorScheme), await shoot(page));
    }
  });
}

async function takeConsolePictures(browser: Browser, demo: PictureDemo, passId: string): Promise<void> {
  const { url } = await onLocalState(async (run) => {
    const repeat = { repeatKey: uuidv7(), isRepeat: false };
    return (await run('sign-in-link', { email: 'demo@example.com' }, repeat)) as { url: string };
  });
  const account = `${demo.baseUrl}/console/accounts/${demo.accountId}`;
  const { seasonTicket, boardingPass } = demo.templates;
  await onPage(browser, { viewport: DESKTOP }, async (page) => {
    await page.goto(url);
    await page.locator('main form button').first().click();
    await page.waitForURL(account);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(DESKTOP);
      await page.goto(account);
      const overview = await shoot(page);
      await keepForFrontPage(named('overview', colorScheme), overview);
      await page.setViewportSize(DESIGNER);
      await page.goto(`${account}/templates/${seasonTicket}?look=posterEventTicket&scheme=${colorScheme}`);
      const designer = await shoot(page);
      await keepForFrontPage(named('designer', colorScheme), designer);
      await (colorScheme === 'light'
        ? keepForDocs('console-overview', overview)
        : keepForDocs('console-designer', designer));
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(DESKTOP);
    await page.goto(`${account}/passes`);
    await keepForDocs('console-passes', await shoot(page));
    await page.setViewportSize(PHONE);
    await page.goto(`${account}/passes/${passId}`);
    await keepForDocs('console-pass-phone', await shoot(page));
    await takeWalletsPicture(browser, `${account}/templates/${boardingPass}`, await page.context().storageState());
  });
}

/** Takes a pass in both wallets, as drawn on phones in the designer. */
async function takeWalletsPicture(browser: Browser, designer: string, storageState: StorageState): Promise<void> {
  const options = { viewport: { ...DESKTOP, height: 1_400 }, deviceScaleFactor: WALLETS_SCALE, storageState };
  await onPage(browser, options, async (page) => {
    const phones: Buffer[] = [];
    for (const look of ['semanticBoardingPass', 'google']) {
      await page.goto(`${designer}?look=${look}&scheme=light`);
      phones.push(await shoot(page, page.locator('#preview-picture')));
    }
    const scaled = (points: number) => points * WALLETS_SCALE;
    const [gap, step, height] = [scaled(PHONES_GAP), scaled(PHONES_STEP), scaled(WALLETS_HEIGHT)];
    const arrangement = { gap, step, height, radii: PHONE_RADII.map(scaled) };
    await keepForFrontPage('wallets', await sideBySide(phones, arrangement));
  });
}

/** Takes the top of the front page. */
async function takeLinkPicture(browser: Browser, address: string): Promise<void> {
  await onPage(browser, { ...LINK, reducedMotion: 'reduce' }, async (page) => {
    await page.goto(address);
    await keepForLinks('link-preview', await shoot(page));
  });
}

async function onPage(browser: Browser, options: BrowserContextOptions, work: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  await work(await context.newPage());
  await context.close();
}
