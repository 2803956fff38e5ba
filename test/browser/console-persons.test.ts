import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openBrowser, openConsole } from '../support/browser.ts';
import { faultsOf, LOOKS, look } from '../support/page-faults.ts';

let browser: Browser;
let account: Client;
const email = `persons-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  browser = await openBrowser();
  account = await freshAccount();
  await account.createPass(await account.createTemplate(), { emailRecipient: 'ada@example.com' });
  await admin('user invite', { account: account.accountId, email, privilege: ['passes.edit', 'personal_data'] });
});
afterAll(() => browser.close());

test.each(LOOKS)('a person is counted and exported on a page without faults, $colorScheme', async (options) => {
  const { page, close } = await openConsole(browser, email, options);
  await page.goto(`/console/accounts/${account.accountId}/persons`);
  expect(await faultsOf(page), 'form').toEqual([]);
  await page.getByLabel('Value', { exact: true }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Find data' }).click();
  await page.getByRole('heading', { name: 'Results' }).waitFor();
  expect(await faultsOf(page), 'counts').toEqual([]);
  await look(page, `persons-${options.colorScheme}-${options.viewport.width}`);
  await page.getByRole('button', { name: 'Erase data' }).click();
  await page.getByRole('heading', { name: 'Erase the data of this person?' }).waitFor();
  expect(await faultsOf(page), 'question').toEqual([]);
  await look(page, `person-erase-${options.colorScheme}-${options.viewport.width}`);
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByLabel('Value', { exact: true }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Find data' }).click();
  await page.getByRole('button', { name: 'Export data' }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Download archive' }).waitFor();
  expect(await faultsOf(page), 'process').toEqual([]);
  await look(page, `person-process-${options.colorScheme}-${options.viewport.width}`);
  await close();
});
