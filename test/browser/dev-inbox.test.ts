import type { BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshAccount, send } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { d1 } from '../support/control.ts';
import { inboxOf } from '../support/dev-inbox.ts';
import { DESKTOP, faultsOf, LOOKS, lookTwice, PHONE } from '../support/page-faults.ts';

const run = crypto.randomUUID();
const email = `browser.${run}@example.com`;
const phone = `+4366${String(Date.now()).slice(-9)}`;
const apns = `token-${run}`;

let mailKey: number;
let pageUrl: string;

beforeAll(async () => {
  const client = await freshAccount();
  const emailTemplate =
    '<h1>Hello {Full name}</h1><p>Your membership card is ready. <a href="{downloadPage}">Have a look</a>.</p><ul><li>Level {Level}</li></ul>';
  const templateId = await client.createTemplate({
    sendoutOptions: {
      passCreationNotification: { subject: 'Your card, {Full name}', emailTemplate },
      sms: { text: 'Your card is ready, {Full name}:' },
    },
  });
  const pass = await client.createPass(templateId, {
    'Full name': 'Ada',
    emailRecipient: email,
    phoneRecipient: phone,
  });
  pageUrl = pass.linkToPassPage;
  mailKey = (await inboxOf(email))[0]!.id;
  await d1(
    `insert into outbox_items (kind, recipient, subject, text, details, files, created_at)
     values ('apns', ?, '', 'Gate has changed', '{"topic":"pass.com.example.test","payload":{}}', '[]', ?)`,
    [apns, Date.now()],
  );
});

const newPage = (options?: BrowserContextOptions) => openPage(options);

const itemOf = async (to: string) => `/dev/inbox/${(await inboxOf(to))[0]!.id}?to=${encodeURIComponent(to)}`;

describe('the dev inbox', () => {
  test('has no faults at both widths, light and dark', async () => {
    const { page, close } = await newPage();
    const nobody = '/dev/inbox?to=nobody';
    for (const path of ['/dev/inbox', nobody, await itemOf(email), await itemOf(phone), await itemOf(apns)]) {
      await page.goto(path);
      await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
      await lookTwice(page, path, { iframes: false });
    }
    await close();
  });

  test('works with the keyboard: to an item, and back to the list on a phone', async () => {
    const { page, close } = await newPage({ viewport: PHONE });
    await page.goto(`/dev/inbox?to=${encodeURIComponent(email)}`);
    const item = page.getByRole('link', { name: /Your card, Ada/ });
    await item.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Your card, Ada' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Dev inbox' }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All messages' }).focus();
    await page.keyboard.press('Enter');
    await item.waitFor();
    await close();
  });

  test('renders the mail in its frame, whose links open outside it', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP });
    await page.goto(await itemOf(email));
    const mail = page.frameLocator('iframe');
    await mail.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      mail.getByRole('link', { name: 'Have a look' }).click(),
    ]);
    await opened.waitForLoadState();
    expect(opened.url()).toBe(pageUrl);
    await close();
  });

  test('hands out the pass file', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP });
    await page.goto(await itemOf(email));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'pass.pkpass' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('pass.pkpass');
    await close();
  });

  test('deletes an item by its button', async () => {
    const to = `delete.${run}`;
    await d1(
      `insert into outbox_items (kind, recipient, subject, text, details, files, created_at) values ('google', ?, '', 'x', '{}', '[]', 0)`,
      [to],
    );
    const { page, close } = await newPage({ viewport: DESKTOP });
    await page.goto(await itemOf(to));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/dev/inbox');
    expect(await inboxOf(to)).toEqual([]);
    await close();
  });
});

describe('the mail itself', () => {
  for (const look of LOOKS) {
    test(`has no faults, ${look.viewport.width} px wide and ${look.colorScheme}`, async () => {
      const { page, close } = await newPage(look);
      // Opened outside its sandbox, so that axe can run.
      const { body } = await send('GET', `/dev/inbox/${mailKey}/mail`);
      await page.setContent(body);
      // A mail is part of its reader's page, which has the landmarks.
      expect(await faultsOf(page, { ignored: ['landmark-one-main', 'region'] })).toEqual([]);
      const buttons = page.locator('a.button');
      expect(await buttons.allTextContents()).toEqual(['Add to Apple Wallet', 'Add to Google Wallet']);
      for (const button of await buttons.all()) {
        const box = (await button.boundingBox())!;
        expect(box.height).toBeGreaterThanOrEqual(44);
        expect(box.x + box.width).toBeLessThanOrEqual(look.viewport.width);
      }
      const card = (await page.locator('.card').boundingBox())!;
      expect(card.width).toBeLessThanOrEqual(600);
      const isDark = look.colorScheme === 'dark';
      const backgrounds = await page.evaluate<string[]>(
        `['.card', '.button'].map((name) => getComputedStyle(document.querySelector(name)).backgroundColor)`,
      );
      expect(backgrounds).toEqual(
        isDark ? ['rgb(27, 29, 34)', 'rgb(255, 255, 255)'] : ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'],
      );
      await close();
    });
  }
});
