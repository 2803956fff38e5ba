import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { createConfiguration, scan } from '../support/app-scans.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { d1 } from '../support/control.ts';
import { DESKTOP, FRAME, type Look, lookIn, lookTwice, PHONE, walk } from '../support/page-faults.ts';

const HOUR_MS = 3_600_000;
/** Widths between phones and wide screens, where six columns have no room. */
const MEDIUM: Look[] = [
  { viewport: { width: 700, height: 900 }, colorScheme: 'dark' },
  { viewport: { width: 1024, height: 900 }, colorScheme: 'light' },
];

/** For tests that leave nothing behind in a page. */
let shared: OpenPage;
let account: Client;
let empty: Client;
let scanner: { configurationId: string };
let linkId: string;
let barcode: string;
const email = `scanner-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  [account, empty] = [await freshAccount({ timezone: 'Europe/Vienna' }), await freshAccount()];
  for (const { accountId } of [account, empty])
    await admin('user invite', { account: accountId, email, privilege: ['owner'] });
  const templateId = await account.createTemplate({ name: 'Summer festival' });
  barcode = (await account.createPass(templateId, { userProvidedId: 'order-1001' })).barcodeValue;
  scanner = await createConfiguration(account, {
    name: 'Main entrance',
    place: 'Foyer',
    backgroundColor: '#14213d',
    textColor: '#ffffff',
    additionalProperties: [{ name: 'Bags', type: 'double' }],
  });
  await createConfiguration(account, { name: 'Backstage', scanMode: 1 });
  const link = await account.post(`/api/appconfiguration/${scanner.configurationId}/link`, {});
  linkId = link.body.identifier;
  for (const code of [barcode, barcode, 'no such code']) await scan(account, scanner, code, { deviceName: 'Gate 1' });
  await fillCounts();
  shared = await signedIn();
});
afterAll(async () => {
  await shared?.close();
});

/** Fills in the counts of a busy week. */
async function fillCounts(): Promise<void> {
  const now = Date.now();
  const weights: Record<string, number> = {
    pushnotification_registered: 9,
    pushnotification_unregistered: 2,
    pass_created: 14,
    pass_deleted: 1,
    'app_scan_created.0': 20,
    'app_scan_created.1': 4,
    'app_scan_created.2': 7,
    'app_scan_created.3': 2,
    webhook_delivered: 30,
    webhook_retried: 3,
    webhook_failed: 1,
    message_sent: 8,
    message_failed: 1,
  };
  const rows = Object.entries(weights).flatMap(([metric, weight], m) =>
    Array.from({ length: 7 * 24 }, (_, hour) => [
      metric,
      now - (now % HOUR_MS) - hour * HOUR_MS,
      Math.round(weight * (1 + Math.sin(hour / 4 + m)) * (1 + ((hour * 7) % 5))),
    ]),
  );
  await d1(
    `insert into hourly_counts (account_id, metric, hour_at, count)
     select ?, value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
     on conflict do update set count = excluded.count`,
    [account.accountId, JSON.stringify(rows)],
  );
}

const pathOf = (of: Client, path = '') => `/console/accounts/${of.accountId}${path}`;

/** Returns the height of a word in the list of a page. A word that is broken has two lines. */
function heightOf(page: Page, word: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const word = ${JSON.stringify(word)};
    const texts = document.createTreeWalker(document.querySelector('tbody'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.textContent.indexOf(word);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + word.length);
      return range.getBoundingClientRect().height;
    }
    // The code of an action has places to break, which part its text.
    const code = [...document.querySelectorAll('tbody code')].find(({ textContent }) => textContent === word);
    if (code) return code.getBoundingClientRect().height;
    throw new Error(word + ' is not in the list');
  })()`);
}

/** Opens the scans with a clock that the test moves. */
async function openScans(page: Page): Promise<void> {
  await page.clock.install();
  await page.goto(pathOf(account, '/scans'));
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Longer than the list waits between two looks. */
const BETWEEN_LOOKS_MS = 5_000;

const signedIn = (options?: BrowserContextOptions, expected?: RegExp) => openConsole(email, options, expected);

describe('the pages of the scanner', () => {
  test('have no faults at both widths, light and dark', async () => {
    const own = `/app-configurations/${scanner.configurationId}`;
    const paths = ['', '/app-configurations', '/app-configurations/new', own, `${own}/edit`, `${own}/delete`];
    paths.push(`${own}/links/new`, `${own}/links/${linkId}`, `${own}/links/${linkId}/end`);
    paths.push('/scans', '/scans?status=2', '/statistics', '/statistics?range=day', '/statistics?range=month');
    const ofEmpty = ['', '/app-configurations', '/scans', '/statistics'];
    const all = [...paths.map((path) => pathOf(account, path)), ...ofEmpty.map((path) => pathOf(empty, path))];
    await walk(shared.page, all);
  });

  test('create a configuration and a link by keyboard and without scripts', async () => {
    const { page, close } = await signedIn({ viewport: PHONE, javaScriptEnabled: false });
    await page.goto(pathOf(account, '/app-configurations'));
    await page.getByRole('link', { name: 'Create configuration' }).press('Enter');
    await page.getByLabel('Name').fill('Tent');
    await page.getByLabel('Question 1', { exact: true }).fill('Wristband');
    await page.getByRole('button', { name: 'Add more rows' }).press('Enter');
    expect(await page.getByLabel('Name').inputValue()).toBe('Tent');
    await page.getByLabel('Question 2', { exact: true }).fill('Adult');
    await page.getByLabel('Answer to question 2').selectOption('Yes or no');
    await page.getByRole('button', { name: 'Create configuration' }).press('Enter');
    await page.getByRole('heading', { name: 'Tent', level: 1 }).waitFor();
    expect(await page.locator('main').textContent()).toContain('Wristband (text), Adult (yes or no)');
    await page.getByRole('link', { name: 'Create link' }).first().press('Enter');
    await page.getByRole('button', { name: 'Create link' }).press('Enter');
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await close();
  });

  test('redraw the app while its colors are being chosen', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(pathOf(account, '/app-configurations/new'));
    await page.getByLabel('Background').fill('#00ff00');
    expect(await page.locator('.scanner-background').getAttribute('fill')).toBe('#00ff00');
    expect(await page.getByLabel('Use custom colors').isChecked()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Green room');
    expect(await page.locator('.scanner-title').textContent()).toBe('Green room');
  });

  test('show the generated name and code of a pass on one line each, beside long texts', async () => {
    const own = await freshAccount();
    await admin('user invite', { account: own.accountId, email, privilege: ['owner'] });
    const code = (await own.createPass(await own.createTemplate())).barcodeValue;
    const gate = await createConfiguration(own, { name: 'Backstage and artists, all days' });
    await scan(own, gate, 'c7b6e3f0-8f3c-4a7e-9f0a-6f1b7a3d5c21'.repeat(2));
    await scan(own, gate, code, { deviceName: 'Handheld 14 of the east entrance, second lane' });
    const { page, close } = await signedIn({ viewport: DESKTOP });
    await page.goto(pathOf(own, '/scans'));
    const linesOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((shown) => shown.getClientRects().length);
    for (const width of [DESKTOP.width, 1_100, 1_024, 900, 820, 700, 641]) {
      await page.setViewportSize({ ...DESKTOP, width });
      const lines = [await linesOf('td > code'), await linesOf('td a[href*="/passes/"]')];
      expect(lines, `${width} px`).toEqual([1, 1]);
    }
    await lookTwice(page, 'scanner long scans');
    await lookIn(MEDIUM, page, 'scanner long scans');
    await close();
  });

  test('give a long configuration, device and action whole words on a line, at widths from 641 to 1,100 px', async () => {
    const own = await freshAccount();
    await admin('user invite', { account: own.accountId, email, privilege: ['owner'] });
    const gate = await createConfiguration(own, { name: 'Backstage and artists' });
    await scan(own, gate, 'c7b6e3f0-8f3c-4a7e-9f0a-6f1b7a3d5c21'.repeat(2), { deviceName: 'Handheld 14' });
    const { page, close } = await signedIn({ viewport: DESKTOP });
    for (const [path, words] of [
      ['/scans', ['Backstage', 'artists', 'Handheld', 'Not found']],
      ['/audit-log', ['configuration', 'app_configuration.create']],
      ['/api-keys', ['Default', 'Deactivate']],
    ] as const) {
      await page.goto(pathOf(own, path));
      for (const width of [641, 820, 900, 1_100]) {
        await page.setViewportSize({ ...DESKTOP, width });
        for (const word of words) expect(await heightOf(page, word), `${word}, ${width} px`).toBeLessThan(30);
      }
      await lookIn(MEDIUM, page, `medium ${path}`, { known: FRAME });
    }
    await close();
  });

  test('show new scans automatically, unless paused', async () => {
    const { page, close } = await signedIn({ viewport: DESKTOP });
    await openScans(page);
    const rows = page.locator('tr[data-id]');
    const before = await rows.count();
    await scan(account, scanner, 'comes live');
    await page.clock.fastForward(BETWEEN_LOOKS_MS);
    await page.getByText('comes live').waitFor();
    expect(await rows.count()).toBe(before + 1);
    expect(await page.getByRole('status').textContent()).toBe('1 new scan');
    expect(await page.locator('#count').textContent()).toBe(`${before + 1} scans in total`);
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Paused');
    await close();
  });

  test('go on loading after a reply that is no answer, and end with the session', async () => {
    const { page, close } = await signedIn({ viewport: DESKTOP }, /status of (503|401)/);
    const replies = [503, 401];
    await page.route('**/scans/total*', (route) => route.fulfill({ status: replies.shift() }));
    await openScans(page);
    await page.clock.fastForward(BETWEEN_LOOKS_MS);
    await page.getByText('No connection. Trying again').waitFor();
    await page.clock.fastForward(BETWEEN_LOOKS_MS);
    await page.getByText('Sign in again to see new scans').waitFor();
    expect(replies).toEqual([]);
    await close();
  });

  test('are read bar by bar with the arrow keys', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(pathOf(account, '/statistics'));
    const bars = page.locator('[aria-labelledby^="installs-title"] .bar');
    await bars.last().focus();
    const readout = page.locator('section[aria-labelledby="installs"] .readout');
    expect(await readout.textContent()).toBe(await bars.last().getAttribute('aria-label'));
    await page.keyboard.press('ArrowLeft');
    expect(await readout.textContent()).toBe(await bars.nth(5).getAttribute('aria-label'));
  });
});
