import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { openBrowser, openConsole } from '../support/browser.ts';
import { DESKTOP, look, lookTwice, PHONE } from '../support/page-faults.ts';
import { previewTemplates } from '../support/preview-templates.ts';

const WALK_TIMEOUT_MILLIS = 180_000;

let browser: Browser;
let account: Client;
const email = `previews-${crypto.randomUUID()}@example.com`;
const ids: Record<string, string> = {};

beforeAll(async () => {
  browser = await openBrowser();
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  await admin('user invite', { account: account.accountId, email, privilege: ['templates.edit'] });
  for (const [name, definition] of Object.entries(await previewTemplates())) {
    ids[name] = await account.createTemplate(definition);
  }
});
afterAll(() => browser?.close());

const pathOf = (name: string, query = '') => `/console/accounts/${account.accountId}/templates/${ids[name]}${query}`;
const newPage = () => openConsole(browser, email, { viewport: DESKTOP });
const picture = (page: Page) => page.locator('#preview-picture');
const choose = (page: Page, name: string) => page.getByRole('radio', { name, exact: true }).check({ force: true });
const titles = (page: Page) =>
  page.locator('#preview-choices fieldset').first().locator('.segment-title').allTextContents();

interface View {
  template: string;
  title: string;
  /** Class of the front. */
  front: string;
  /** A text in English and in German. */
  texts: [english: string, german: string];
}

const VIEWS: View[] = [
  { template: 'concert', title: 'Apple Wallet', front: 'eventTicket', texts: ['Live', 'Konzert'] },
  { template: 'concert', title: 'Poster', front: 'poster-front', texts: ['Fri, Jun 18', 'Fr., 18. Juni'] },
  { template: 'match', title: 'Poster', front: 'poster-front', texts: ['Season Ticket', 'Dauerkarte'] },
  { template: 'museum', title: 'Poster', front: 'poster-front', texts: ['Dec 31, 2027', '31.12.2027'] },
  { template: 'flight', title: 'New boarding pass', front: 'flight-front', texts: ['10:00 AM', '10:00'] },
  { template: 'flight', title: 'Google Wallet', front: 'google-front', texts: ['Passenger', 'Passagier'] },
  { template: 'google ticket', title: 'Google Wallet', front: 'google-front', texts: ['Row', 'Reihe'] },
  { template: 'loyalty', title: 'Google Wallet', front: 'google-front', texts: ['1,250', '1.250'] },
  { template: 'loyalty', title: 'Apple Wallet', front: 'storeCard', texts: ['Mar 1, 2024', '01.03.2024'] },
];

describe('each preview', () => {
  test.each(VIEWS)(
    'of a $template: $title, on a light and a dark phone, in both languages',
    async ({ template, title, front, texts }) => {
      const { page, close } = await newPage();
      await page.goto(pathOf(template));
      await choose(page, title);
      await picture(page).locator(`.card-front.${front}`).waitFor();
      for (const [i, language] of ['', 'de'].entries()) {
        await page.locator('#preview').getByLabel('Language').selectOption(language);
        await picture(page).getByText(texts[i]!, { exact: true }).first().waitFor();
        for (const scheme of ['Light', 'Dark']) {
          await choose(page, scheme);
          await page.locator(`.phone.${scheme.toLowerCase()}`).waitFor();
          await look(page, `preview ${template} ${title} ${scheme} ${language}`);
        }
        expect(await picture(page).innerText()).not.toMatch(/NaN|undefined|Invalid Date|\[object/);
      }
      expect(await picture(page).locator('.card').getAttribute('lang')).toBe('de');
      await close();
    },
    WALK_TIMEOUT_MILLIS,
  );
});
