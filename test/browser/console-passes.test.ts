import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { eventually } from '../support/control.ts';
import { DESKTOP, FRAME, lookTwice, walk } from '../support/page-faults.ts';

const { origin } = inject('worker');
/** Compressed size of everything in a page's first load. */
const FIRST_LOAD_BYTES_MAX = 100 * 1024;

let account: Client;
/** For tests that leave nothing behind in a page. */
let shared: OpenPage;
let templateId: string;
let passId: string;
const email = `editor-${crypto.randomUUID()}@example.com`;
const base = () => `/console/accounts/${account.accountId}`;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await account.createTemplate({
    name: 'Night of Museums',
    additionalProperties: [
      { name: 'Full name', type: 'text', required: true },
      { name: 'Level', type: 'select', options: ['Basic', 'Gold', 'Platinum'], default: 'Basic' },
      { name: 'Guests', type: 'number' },
    ],
  });
  const people = ['Ada Lovelace', 'Grace Hopper', 'Hedy Lamarr', 'Katherine Johnson'];
  for (const [i, name] of people.entries()) {
    const fields = {
      'Full name': name,
      Guests: String(i),
      userProvidedId: `NM-${1001 + i}`,
      bundleId: i < 2 ? 'Order 77' : undefined,
    };
    passId = (await account.createPass(templateId, fields)).identifier;
  }
  await account.put(`/api/pass/${passId}`, { voided: true });
  await admin('user invite', { account: account.accountId, email, privilege: ['passes.edit', 'personal_data'] });
  shared = await signedIn();
}, 60_000);
afterAll(async () => {
  await shared?.close();
});

const signedIn = (options?: BrowserContextOptions) => openConsole(email, options);

/** Uploads rows, up to the page that maps their columns. */
async function upload(page: Page, rows: string): Promise<void> {
  await page.goto(`${base()}/passes/import`);
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await page.getByRole('button', { name: 'Upload file' }).click();
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
}

describe('the pages of passes, bundles and processes', () => {
  test('have no faults at both widths, light and dark', async () => {
    const { page } = shared;
    const addresses = [
      '/passes',
      `/passes?template=${templateId}&g=0&f=voided&o=isFalse&v=&g=0&f=createdOn&o=greaterThan&v=2020-01-01&g=1&f=&o=equals&v=`,
      '/passes?q=nobody+has+these+words',
      `/passes/${passId}`,
      `/passes/${passId}/edit`,
      `/passes/${passId}/delete`,
      `/passes/new?template=${templateId}`,
      '/passes/import',
      '/bundles',
      '/bundles/new',
      '/bundles/bundle?id=Order+77',
      '/bundles/dissolve?id=Order+77',
    ];
    await walk(
      page,
      addresses.map((address) => base() + address),
    );
    await page.goto(`${base()}/passes`);
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    await lookTwice(page, 'the query unfolded', { known: FRAME });
    await page.getByLabel(/^all/).check();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL('**/passes/bulk**');
    await lookTwice(page, 'review', { known: FRAME });
    await page.getByRole('button', { name: /^Restore/ }).click();
    await page.getByText('Done', { exact: true }).waitFor();
    await lookTwice(page, 'process', { known: FRAME });
    await page.goto(`${base()}/processes`);
    await lookTwice(page, 'processes', { known: FRAME });
    await upload(page, 'Full name,Guests\nMary,two\nAnn,3\n');
    await lookTwice(page, 'columns of an import', { known: FRAME });
  }, 120_000);

  test('load quickly: at most 100 KB compressed', async () => {
    const { page, context, close } = await signedIn({ viewport: DESKTOP });
    const session = await context.newCDPSession(page);
    let bytes = 0;
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    for (const address of ['/passes', `/passes/${passId}`, '/bundles', '/processes', '/passes/import']) {
      bytes = 0;
      await page.goto(base() + address, { waitUntil: 'networkidle' });
      expect(bytes, address).toBeGreaterThan(0);
      expect(bytes, address).toBeLessThanOrEqual(FIRST_LOAD_BYTES_MAX);
    }
    await close();
  });
});

describe('searching passes', () => {
  test('builds a query from rows, with and without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await signedIn({ viewport: DESKTOP, javaScriptEnabled });
      await page.goto(`${base()}/passes?template=${templateId}`);
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Field of condition 1').selectOption({ label: 'Guests' });
      await page
        .getByLabel('Comparison of condition 1')
        .selectOption(javaScriptEnabled ? { label: 'is at least' } : { label: 'is' });
      await page.getByLabel('Value of condition 1').fill('2');
      await page.getByRole('button', { name: 'And …' }).click();
      await page.getByLabel('Field of condition 2').selectOption({ label: 'Full name' });
      await page.getByLabel('Comparison of condition 2').selectOption({ label: 'contains' });
      await page.getByLabel('Value of condition 2').fill('hedy');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('1 pass', { exact: true }).waitFor();
      expect(await page.getByRole('rowheader').allTextContents()).toEqual(['NM-1003']);
      await page.getByRole('button', { name: 'Remove condition 2' }).click();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText(javaScriptEnabled ? '2 passes' : '1 pass', { exact: true }).waitFor();
      await close();
    }
  }, 60_000);

  test('copies the query as JSON and the links of a pass', async () => {
    const { page, context } = shared;
    await page.setViewportSize(DESKTOP);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await page.goto(`${base()}/passes?q=ada`);
    await page.getByText('As JSON').click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual({ searchPhrase: 'ada' });
    await page.goto(`${base()}/passes/${passId}`);
    await page.getByRole('button', { name: 'Copy: Download page' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/\/p\/[\w-]{25}$/);
  });
});

describe('an import of a thousand rows', () => {
  test('shows its progress, and ends with the errors', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    const rows = Array.from({ length: 1_000 }, (_, i) => `Guest ${i},${i === 500 ? 'none' : i % 5}`);
    await upload(page, ['Full name,Guests', ...rows].join('\n'));
    await page.getByRole('button', { name: 'Create 1,000 passes' }).click();
    await page.waitForURL('**/processes/*');
    const bar = page.getByRole('progressbar');
    await eventually(async () => Number(await bar.getAttribute('value')) > 0, 90_000);
    await page.getByText('Completed with errors').waitFor({ timeout: 90_000 });
    await page.getByRole('rowheader', { name: 'Row 502' }).waitFor();
    expect(await bar.getAttribute('value')).toBe('1000');
  }, 200_000);
});

describe('the passes of a list', () => {
  test('are selected and changed with only the keyboard', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(`${base()}/passes?q=NM-1001`);
    expect(await page.getByRole('button', { name: 'Void …' }).isDisabled()).toBe(true);
    await page.getByLabel('Select all on this page').focus();
    await page.keyboard.press('Space');
    expect(await page.getByLabel('Select NM-1001').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Void …' }).press('Enter');
    await page.getByRole('button', { name: 'Void 1 pass' }).press('Enter');
    await page.getByText('Done', { exact: true }).waitFor();
    expect((await account.get('/api/pass/NM-1001')).body.voided).toBe(true);
  });
});
