import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openConsole } from '../support/browser.ts';
import { DESKTOP, FRAME, look, PHONE } from '../support/page-faults.ts';
import { previewTemplates } from '../support/preview-templates.ts';

const WALK_TIMEOUT_MILLIS = 180_000;

let account: Client;
/** For tests that open a template and leave nothing behind. */
let shared: OpenPage;
const email = `previews-${crypto.randomUUID()}@example.com`;
const ids: Record<string, string> = {};

beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  await admin('user invite', { account: account.accountId, email, privilege: ['templates.edit'] });
  for (const [name, definition] of Object.entries(await previewTemplates())) {
    ids[name] = await account.createTemplate(definition);
  }
  shared = await newPage();
});
afterAll(async () => {
  await shared?.close();
});

const pathOf = (name: string, query = '') => `/console/accounts/${account.accountId}/templates/${ids[name]}${query}`;
/** Tall enough for a whole preview. */
const TALL = { ...DESKTOP, height: 1_300 };
const newPage = (options: object = { viewport: TALL }) => openConsole(email, options);
const picture = (page: Page) => page.locator('#preview-picture');
/** Within the controls, because the role and name of each element of the designer would take longer. */
const choose = (page: Page, name: string) =>
  page.locator('#preview-choices').getByRole('radio', { name, exact: true }).check({ force: true });
const titles = (page: Page) =>
  page.locator('#preview-choices fieldset').first().locator('.segment-title').allTextContents();

/** What another test looks at. */
const ELSEWHERE = `${FRAME}, .part:not([data-part="general"])`;
/** What stays the same while the preview changes. */
const DESIGNER = `${FRAME}, .tabs, .part`;

interface View {
  template: string;
  title: string;
  /** CSS class of the front. */
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
      const { page } = shared;
      await page.goto(pathOf(template));
      await choose(page, title);
      await picture(page).locator(`.card-front.${front}`).waitFor();
      for (const [i, language] of ['', 'de'].entries()) {
        await page.locator('#preview').getByLabel('Language').selectOption(language);
        await picture(page).getByText(texts[i]!, { exact: true }).first().waitFor();
        for (const scheme of i === 0 ? ['Light', 'Dark'] : ['Dark', 'Light']) {
          await choose(page, scheme);
          await page.locator(`.phone.${scheme.toLowerCase()}`).waitFor();
          const known = i === 0 && scheme === 'Light' ? ELSEWHERE : DESIGNER;
          await look(page, `preview ${template} ${title} ${scheme} ${language}`, { known });
        }
        expect(await picture(page).innerText()).not.toMatch(/NaN|undefined|Invalid Date|\[object/);
      }
      expect(await picture(page).locator('.card').getAttribute('lang')).toBe('de');
    },
    WALK_TIMEOUT_MILLIS,
  );
});

/** Returns texts and images beyond the edges of the drawn pass, by name. */
const BEYOND = `(() => {
  const front = document.querySelector('#preview-picture .card-front');
  const edge = front.getBoundingClientRect();
  const inside = ({ left, right, top, bottom }) =>
    left >= edge.left - 1 && right <= edge.right + 1 && top >= edge.top - 1 && bottom <= edge.bottom + 1;
  return [...front.querySelectorAll('p, dt, dd, li, img:not(.poster-artwork)')]
    .filter((one) => !inside(one.getBoundingClientRect()))
    .map((one) => one.className || one.textContent);
})()`;

describe('long texts', () => {
  const long = 'Donaudampfschifffahrtsgesellschaft mit Überraschungsgästen, Band und Feuerwerk';

  test.each([
    ['match', 'ltr', 'de', 'Poster'],
    ['match', 'rtl', 'ar', 'Poster'],
    ['flight', 'ltr', 'de', 'New boarding pass'],
    ['flight', 'rtl', 'ar', 'New boarding pass'],
  ])('of a %s stay within the picture, %s', async (template, direction, language, title) => {
    const { page } = shared;
    await page.goto(pathOf(template, '?scheme=dark'));
    await choose(page, title);
    await setApple(page, (apple) => {
      const tags = ['eventName', 'venueName', 'venueRoom', 'admissionLevel'];
      const ends = ['departureCityName', 'destinationCityName', 'ticketFareClass', 'boardingGroup', 'departureGate'];
      for (const tag of template === 'match' ? tags : ends) apple.semantics[tag] = long;
    });
    await page.locator('.tabs').getByRole('radio', { name: 'Translations', exact: true }).check({ force: true });
    await page.locator('[name="translations.0.language"]').fill(language);
    await page.locator(`#preview select option[value="${language}"]`).waitFor({ state: 'attached' });
    await page.locator('#preview').getByLabel('Language').selectOption(language);
    await page.locator(`#preview .card[dir="${direction}"][lang="${language}"]`).waitFor();
    await picture(page).getByText(long).first().waitFor();
    await look(page, `preview long ${template} ${direction}`, { known: DESIGNER });
    expect(await page.evaluate(BEYOND)).toEqual([]);
  });
});

describe('the controls of the preview', () => {
  test('have no faults at both widths, with what is not shown', async () => {
    const { page, close } = await newPage();
    await page.goto(pathOf('concert'));
    await setApple(page, (apple) => delete apple.semantics.venueRoom);
    await page.locator('.preview-unshown').waitFor();
    await look(page, 'preview controls desktop');
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Preview' }).click();
    await choose(page, 'Poster');
    await look(page, 'preview controls phone');
    await close();
  });

  test('work by keyboard, and keep the choice while typing and after a reload', async () => {
    const { page, close } = await newPage();
    await page.goto(pathOf('match'));
    await page.getByRole('radio', { name: 'Apple Wallet' }).focus();
    await page.keyboard.press('ArrowRight');
    await picture(page).locator('.poster-front').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('posterEventTicket');
    await choose(page, 'Dark');
    await page.locator('#preview').getByLabel('Language').selectOption('de');
    await picture(page).getByText('Dauerkarte').waitFor();
    await setApple(page, (apple) => {
      apple.semantics.venueName = 'Alte Arena';
    });
    await picture(page).getByText('Alte Arena').waitFor();
    expect(new URL(page.url()).search).toBe('?look=posterEventTicket&scheme=dark&language=de');
    page.on('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.locator('.phone.dark .poster-front').waitFor();
    await picture(page).getByText('Dauerkarte').waitFor();
    await close();
  });

  test('offer what the definition supports, and explain why devices show the classic pass', async () => {
    const { page, close } = await newPage();
    await page.goto(pathOf('concert', '?look=posterEventTicket'));
    expect(await titles(page)).toEqual(['Apple Wallet', 'Poster', 'Google Wallet']);
    await picture(page).locator('.poster-front').waitFor();
    await setApple(page, (apple) => delete apple.semantics.venueRoom);
    await picture(page).locator('.card-front.eventTicket').waitFor();
    const reasons = page.locator('.preview-unshown li');
    expect(await reasons.allTextContents()).toEqual([
      'Apple Wallet · Semantics · Venue room is required for a poster event ticket; without it, the ticket keeps its classic style.',
    ]);
    expect(await page.getByRole('radio', { name: 'Poster' }).isChecked()).toBe(true);
    await setApple(page, (apple) => {
      apple.preferredStyleSchemes = null;
    });
    await expect.poll(() => titles(page)).toEqual(['Apple Wallet', 'Google Wallet']);
    expect(await page.getByRole('radio', { name: 'Apple Wallet' }).isChecked()).toBe(true);
    expect(await reasons.count()).toBe(0);
    await close();
  });

  test('work without scripts', async () => {
    const { page, close } = await newPage({ viewport: DESKTOP, javaScriptEnabled: false });
    await page.goto(pathOf('flight'));
    await choose(page, 'New boarding pass');
    await page.getByRole('button', { name: 'Update preview' }).click();
    await picture(page).locator('.flight-front').waitFor();
    await page.getByRole('button', { name: 'Save template' }).last().click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await picture(page).locator('.flight-front').waitFor();
    await close();
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a definition's JSON, as somebody types it
async function setApple(page: Page, change: (apple: any) => unknown): Promise<void> {
  const part = page.locator('.tabs').getByRole('radio', { name: 'Design', exact: true });
  await part.check({ force: true });
  const control = page.locator('.part[data-part="look"]').getByLabel('Apple features');
  const apple = JSON.parse(await control.inputValue());
  change(apple);
  await control.fill(JSON.stringify(apple));
}
