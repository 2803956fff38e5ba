import { beforeAll, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openConsole } from '../support/browser.ts';
import { lookTwice, PHONE } from '../support/page-faults.ts';

let account: Client;
const email = `persons-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  account = await freshAccount();
  await account.createPass(await account.createTemplate(), { emailRecipient: 'ada@example.com' });
  await admin('user invite', { account: account.accountId, email, privilege: ['passes.edit', 'personal_data'] });
});

test('a person is counted and exported on pages without faults, at both widths, light and dark', async () => {
  const { page, close } = await openConsole(email, { viewport: PHONE });
  await page.goto(`/console/accounts/${account.accountId}/persons`);
  await lookTwice(page, 'persons form');
  await page.getByLabel('Value', { exact: true }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Find data' }).click();
  await page.getByRole('heading', { name: 'Results' }).waitFor();
  await lookTwice(page, 'persons');
  await page.getByRole('button', { name: 'Erase data' }).click();
  await page.getByRole('heading', { name: 'Erase the data of this person?' }).waitFor();
  await lookTwice(page, 'person erase');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByLabel('Value', { exact: true }).fill('ada@example.com');
  await page.getByRole('button', { name: 'Find data' }).click();
  await page.getByRole('button', { name: 'Export data' }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Download archive' }).waitFor();
  await lookTwice(page, 'person process');
  await close();
});
