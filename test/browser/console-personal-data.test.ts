import { beforeAll, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openConsole } from '../support/browser.ts';
import { lookTwice } from '../support/page-faults.ts';

let account: Client;
let passId: string;
let templateId: string;
const email = `reader-${crypto.randomUUID()}@example.com`;

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  templateId = await account.createTemplate({
    downloadPinEnabled: true,
    additionalProperties: [{ name: 'Seat' }, { name: 'Birthday', personal: true }],
  } as never);
  const holder = {
    userProvidedId: 'order-1',
    emailRecipient: 'ada@example.com',
    downloadPin: '4711',
    bundleId: 'family',
  };
  ({ identifier: passId } = await account.createPass(templateId, holder));
  await admin('user invite', { account: account.accountId, email, privilege: ['read'] });
});

test('a member without personal_data gets complete pages without it', async () => {
  const { page, close } = await openConsole(email);
  const base = `/console/accounts/${account.accountId}`;
  const pages = {
    list: `passes?template=${templateId}`,
    pass: `passes/${passId}`,
    messages: 'messages',
    bundles: 'bundles',
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${base}/${path}`);
    await lookTwice(page, `personal ${name}`);
    expect(await page.getByText('ada@example.com').count(), name).toBe(0);
  }
  await page.goto(`${base}/passes/${passId}`);
  expect(await page.getByText('are hidden').isVisible()).toBe(true);
  await close();
});
