import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenPage } from '../support/browser.ts';
import { DESKTOP, look, PHONE } from '../support/page-faults.ts';
import { choose, DESIGNER, openPreviews, type Previews, picture } from '../support/preview-page.ts';

let previews: Previews;
/** For tests that open a template and leave nothing behind. */
let shared: OpenPage;

beforeAll(async () => {
  previews = await openPreviews(['concert', 'match', 'flight']);
  shared = await previews.newPage();
});
afterAll(async () => {
  await shared?.close();
});

const titles = (page: Page) =>
  page.locator('#preview-choices fieldset').first().locator('.segment-title').allTextContents();

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
    await page.goto(previews.pathOf(template, '?scheme=dark'));
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
    const { page, close } = await previews.newPage();
    await page.goto(previews.pathOf('concert'));
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
    const { page, close } = await previews.newPage();
    await page.goto(previews.pathOf('match'));
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
    const { page, close } = await previews.newPage();
    await page.goto(previews.pathOf('concert', '?look=posterEventTicket'));
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
    const { page, close } = await previews.newPage({ viewport: DESKTOP, javaScriptEnabled: false });
    await page.goto(previews.pathOf('flight'));
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
