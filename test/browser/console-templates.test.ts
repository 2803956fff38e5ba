import { buffer } from 'node:stream/consumers';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoTemplates } from '../../scripts/demo/templates.ts';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { DESKTOP, FRAME, look, lookTwice } from '../support/page-faults.ts';
import { archiveOf } from '../support/template-files.ts';
import { unzip } from '../wallets/apple/tools.ts';

let account: Client;
/** For tests that leave nothing behind in a page. */
let shared: OpenPage;
let png: Buffer;
const email = `designer-${crypto.randomUUID()}@example.com`;
let storeCard: string;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  await admin('user invite', { account: account.accountId, email, privilege: ['templates.edit', 'passes.edit'] });
  const { definition } = (await demoTemplates()).find(({ key }) => key === 'storeCard')!;
  storeCard = (await account.post('/api/v2/pass-template', definition)).body.data.identifier;
  const green = sharp({ create: { width: 480, height: 150, channels: 3, background: '#12403a' } });
  png = await green.png().toBuffer();
  shared = await newPage({ viewport: DESKTOP });
});
afterAll(async () => {
  await shared?.close();
});

/** Opens a page as a signed-in user. Browsers log rejected requests as errors, although the page handles them. */
const newPage = (options?: BrowserContextOptions) => openConsole(email, options, /status of (400|409)/);

const path = (...parts: string[]) => `/console/accounts/${account.accountId}/${['templates', ...parts].join('/')}`;
/** Within the tabs, because the role and name of each element of the designer would take longer. */
const tab = (page: Page, name: string) =>
  page.locator('.tabs').getByRole('radio', { name, exact: true }).check({ force: true });
const picture = (page: Page) => page.locator('#preview-picture');
const said = (page: Page) => page.locator('#save-said');
/** Selector of what the walk through the designer checks, beside one of its parts. */
const allBut = (part: string) => `${FRAME}, #preview, .part:not([data-part="${part}"])`;

describe('the file of a template', () => {
  test('is exported, edited by hand and imported, with a list of what was left out, and a file of another kind is rejected', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(path(storeCard));
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export template' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/\.pkpasstemplate\.zip$/);
    const archive = await buffer(await file.createReadStream());

    await page.goto(path('new'));
    await page.getByRole('link', { name: 'Import template' }).click();
    const choose = page.getByLabel('File');
    await choose.setInputFiles({ name: 'note.zip', mimeType: 'application/zip', buffer: Buffer.from('hello') });
    await page.getByRole('button', { name: 'Import' }).click();
    await page.locator('#file-error').getByText('it is not a ZIP archive').waitFor();
    await lookTwice(page, 'templates import refused');

    const files = filesOf(archive);
    const pass = { ...JSON.parse(files['pass.json']!.toString()), logoText: 'Edited by hand', colour: 'red' };
    const edited = { ...files, 'pass.json': pass };
    await choose.setInputFiles({
      name: 'card.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(archiveOf(edited)),
    });
    await page.getByLabel('Name').fill('From a file');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: 'Template imported' }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^colour is not a member that templates have; left out$/ })
      .waitFor();
    await lookTwice(page, 'templates imported');
    await page.getByRole('link', { name: 'Open template' }).click();
    await page.getByRole('heading', { name: 'From a file' }).waitFor();
    await picture(page).getByText('Edited by hand').waitFor();

    await page.goto(path('import'));
    await choose.setInputFiles({ name: 'whole.zip', mimeType: 'application/zip', buffer: archive });
    await page.getByRole('button', { name: 'Import' }).click();
    await picture(page).waitFor();
  });
});

/** Returns an archive's files, without their folder. */
function filesOf(archive: Uint8Array): Record<string, Uint8Array> {
  return Object.fromEntries([...unzip(archive)].map(([name, bytes]) => [name.split('/').slice(1).join('/'), bytes]));
}

describe('designing a template', () => {
  test('from a start to a pass on its download page, with a preview that follows', async () => {
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(path());
    await page.getByRole('link', { name: 'Create template' }).click();
    await page.getByLabel('Name').fill('Bean club');
    await page.getByRole('radio', { name: 'Store card' }).check();
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('heading', { name: 'Bean club' }).waitFor();

    await tab(page, 'Design');
    await page.getByLabel('Logo text').fill('Ember & Oat');
    await picture(page).getByText('Ember & Oat').waitFor();
    expect(await said(page).textContent()).toBe('Unsaved changes');
    await page.getByLabel('Background', { exact: true }).first().fill('#ffd');
    await expect.poll(() => backgroundOf(page)).toBe('rgb(255, 255, 221)');
    await page
      .getByLabel('Strip: Upload file')
      .setInputFiles({ name: 'strip.png', mimeType: 'image/png', buffer: png });
    await picture(page).locator('img.card-strip').waitFor();

    await tab(page, 'Fields');
    await page.getByRole('button', { name: 'Add secondary field' }).click();
    await page.locator('[name="fields.secondaryFields.1.label"]:focus').waitFor();
    await page.keyboard.type('Favourite');
    await picture(page).getByText('Favourite').waitFor();
    await page.getByRole('button', { name: 'Move up: Favourite' }).click();
    await page.getByText('Moved to position 1 of 2').waitFor({ state: 'attached' });
    const labels = picture(page).locator('.card-row dt');
    await expect.poll(() => labels.allTextContents()).toEqual(['Favourite', 'Member', 'Number']);

    await page.getByRole('radio', { name: 'Google' }).check({ force: true });
    await picture(page).locator('.google-front').waitFor();
    await page.getByRole('radio', { name: 'Details' }).check({ force: true });
    await picture(page).getByText('Earn one point for each euro.').waitFor();
    await look(page, 'templates google details', { known: `${FRAME}, .part` });

    await page.getByRole('button', { name: 'Save template' }).click();
    await expect.poll(() => said(page).textContent()).toBe('Saved');
    await page.getByRole('link', { name: 'Review and publish' }).click();
    await page.getByRole('cell', { name: 'Ember & Oat' }).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published. Devices show').waitFor();

    await page.getByRole('link', { name: 'Design', exact: true }).click();
    await page.getByRole('button', { name: 'Create test pass' }).click();
    await page.waitForURL('**/p/*');
    await page.getByText('Ember & Oat').first().waitFor();
    await page.getByText('Favourite').first().waitFor();
  });

  test('shows an error where it is, scrolls there, and saves once it is fixed', async () => {
    const id = await account.createTemplate();
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(path(id));
    await tab(page, 'Rules');
    await page.getByLabel('Maximum number of passes').fill('many');
    await page.keyboard.press('Tab');
    await page.getByText('must be a number').waitFor();
    await page.getByRole('radio', { name: 'Rules 1 to correct' }).waitFor();
    await tab(page, 'General');
    await page.getByRole('button', { name: 'Save template' }).click();
    await expect.poll(() => said(page).textContent()).toBe('Not saved: 1 field to correct');
    const control = page.getByLabel('Maximum number of passes');
    expect(await page.evaluate('document.activeElement.id')).toBe('maxPasses');
    expect(await control.getAttribute('aria-invalid')).toBe('true');
    await control.fill('12');
    await page.getByRole('button', { name: 'Save template' }).click();
    await expect.poll(() => said(page).textContent()).toBe('Saved');
    expect((await account.get(`/api/v2/pass-template/${id}/describe`)).body.data.maxPasses).toBe(12);
  });

  test('shows the findings of wallets at their fields while you type, for all senses and at both widths', async () => {
    const id = await account.createTemplate({ type: 'storeCard', images: {} });
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(path(id));
    const described = async (control: Locator) => {
      const ids = (await control.getAttribute('aria-describedby')) ?? '';
      const texts = ids.split(' ').map((one) => page.locator(`[id="${one}"].findings`).allTextContents());
      return (await Promise.all(texts)).flat().join(' ').replaceAll(/\s+/g, ' ');
    };
    await tab(page, 'Design');
    const icon = page.locator('[name="images.icon"]');
    expect(await described(icon)).toMatch(/^Warning for Apple Wallet: is required; .* Source: Apple, /);
    await page.getByLabel('Apple features').fill('{"bagPolicyURL": "https://x.example"}');
    await page.getByLabel('Google features').fill('{"enableSmartTap": true}');
    const ofGoogle = page.locator('[id="google-findings"]');
    await ofGoogle.getByText('Error for Google Wallet:').first().waitFor();
    expect(await described(page.getByLabel('Apple features'))).toContain('bagPolicyURL is left out');
    const source = ofGoogle.getByRole('link', { name: 'Source: Google, v1/loyaltyclass' }).first();
    expect(await source.getAttribute('href')).toBe(
      'https://developers.google.com/wallet/reference/rest/v1/loyaltyclass',
    );
    await lookTwice(page, 'templates findings design', { known: allBut('look') });
    await page.getByLabel('Apple features').fill('{"maxDistance": -1}');
    await page.keyboard.press('Tab');
    const error = page.locator('[id="apple-error"]');
    await error.getByText('Error for Apple Wallet:').waitFor();
    await error.getByText('maxDistance: must be a number').waitFor();
    await error.getByRole('link', { name: 'Source: Apple, walletpasses/pass' }).waitFor();
    await lookTwice(page, 'templates findings error', { known: allBut('look') });
    await page.getByLabel('Apple features').fill('');

    await page.setViewportSize(DESKTOP);
    await tab(page, 'Delivery');
    const sharing = page.getByRole('checkbox', { name: 'Hide the share button' });
    await sharing.check();
    await page.getByText('it does not prevent copying').waitFor();
    expect(await described(sharing)).toMatch(/^Hint for Apple Wallet: hides the share button/);
    await lookTwice(page, 'templates findings delivery', { known: allBut('delivery') });
    await sharing.uncheck();
    await page.getByText('it does not prevent copying').waitFor({ state: 'detached' });
    expect(await sharing.getAttribute('aria-describedby')).toBeNull();
  });

  test('stops at changes saved by another user, and continues on request', async () => {
    const id = await account.createTemplate();
    const { page } = shared;
    await page.setViewportSize(DESKTOP);
    await page.goto(path(id));
    await tab(page, 'Design');
    await page.getByLabel('Logo text').fill('Mine');
    await account.patch(`/api/v2/pass-template/${id}`, { logoText: 'Theirs' });
    await page.getByRole('button', { name: 'Save template' }).click();
    await page.getByText('Someone else saved this template').waitFor();
    await look(page, 'templates conflict', { known: `${FRAME}, #preview, .part` });
    expect(await page.getByLabel('Logo text').inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Save template' }).click();
    await expect.poll(() => said(page).textContent()).toBe('Saved');
    expect((await account.get(`/api/v2/pass-template/${id}/describe`)).body.data.logoText).toBe('Mine');
  });

  test('keeps the selection in a text when its part is redrawn', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP });
    await page.goto(path(storeCard));
    let answer: () => void = () => {};
    const isReleased = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/templates/**', async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await tab(page, 'Translations');
    const language = page.locator('[name="translations.0.language"]');
    const first = (await language.elementHandle())!;
    await language.focus();
    await page.evaluate('document.activeElement.setSelectionRange(0, 1)');
    answer();
    await first.waitForElementState('hidden');
    await page.keyboard.type('n');
    expect(await language.inputValue()).toBe('ne');
    await close();
  });

  test('works without scripts, and by keyboard', async () => {
    const id = await account.createTemplate();
    const { page, close } = await newPage({ viewport: DESKTOP, javaScriptEnabled: false });
    await page.goto(path(id));
    await page.getByRole('radio', { name: 'General' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Add header field' }).click();
    await page.locator('[name="fields.headerFields.1.label"]').fill('Row');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await picture(page).locator('.card-header-fields dt').allTextContents()).toEqual(['Level', 'Row']);
    await page.getByRole('radio', { name: 'Google' }).check({ force: true });
    await page.getByRole('button', { name: 'Update preview' }).click();
    await picture(page).locator('.google-front').waitFor();
    await close();
  });
});

function backgroundOf(page: Page): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector('#preview-picture .card-front')).backgroundColor`);
}
