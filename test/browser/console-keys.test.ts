import { beforeAll, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount } from '../support/api.ts';
import { openPage, signIn } from '../support/browser.ts';
import { lookIn, lookTwice, PHONE } from '../support/page-faults.ts';

let account: Client;
const email = `keeper-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  for (const name of ['Season ticket', 'Day ticket']) await account.createTemplate({ name });
  await admin('user invite', { account: account.accountId, email, privilege: ['owner'] });
});

test('a key is created, edited and rotated on pages without faults, at both widths, light and dark', async () => {
  const { page, close } = await openPage({ viewport: PHONE });
  const name = 'Gate 390';
  await signIn(page, email);
  await page.goto(`/console/accounts/${account.accountId}/api-keys/new`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Expiration date').fill('2999-12-31');
  await page.getByLabel('scans:write').check();
  await page.getByLabel('templates:read').check();
  await page.getByLabel('Season ticket').check();
  await page.getByLabel('Allowed IP addresses').fill('127.0.0.0/8\n::1\n2001:db8::/32');
  await page.getByText(`${name} can read templates and record scans, only for Season ticket, only from`).waitFor();
  await page.getByText('until the end of December 31, 2999.').waitFor();
  await lookTwice(page, 'key new');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('heading', { name: 'API key created' }).waitFor();
  const summary = page.getByText(`${name} can read templates and record scans, only for Season ticket, only from`);
  await summary.waitFor();
  const first = clientOf(account.accountId, (await page.locator('figure code').textContent())!);
  await lookTwice(page, 'key created');

  await page.getByRole('link', { name: 'Done' }).click();
  await page.getByRole('link', { name: `Edit ${name}` }).waitFor();
  await lookTwice(page, 'keys');
  const narrow = { width: 320, height: 700 };
  await lookIn(
    [
      { viewport: narrow, colorScheme: 'light' },
      { viewport: narrow, colorScheme: 'dark' },
    ],
    page,
    'keys',
  );
  await page.setViewportSize(PHONE);
  await page.getByRole('link', { name: `Edit ${name}` }).click();
  await summary.waitFor();
  await lookTwice(page, 'key edit');
  await page.getByLabel('Day ticket').check();
  await page.getByRole('button', { name: 'Save key' }).click();
  await page.getByRole('link', { name: `Edit ${name}` }).click();
  await page.getByRole('link', { name: 'Rotate key' }).click();
  await page.getByText('only for Season ticket and Day ticket').waitFor();
  await lookTwice(page, 'key rotate');
  await page.getByLabel('Old value').selectOption({ label: 'Works for one more hour' });
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByText('The old value works until').waitFor();
  await lookTwice(page, 'key rotated');
  const second = clientOf(account.accountId, (await page.locator('figure code').textContent())!);
  const headers = { 'CF-Connecting-IP': '127.0.0.1' };
  for (const key of [first, second]) expect((await key.get('/api/pass-template', headers)).body).toHaveLength(2);
  await close();
});
