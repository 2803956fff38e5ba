import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenPage } from '../support/browser.ts';
import { FRAME, look } from '../support/page-faults.ts';
import { choose, DESIGNER, openPreviews, type Previews, picture } from '../support/preview-page.ts';

const WALK_TIMEOUT_MILLIS = 180_000;

let previews: Previews;
/** Views of the same template follow each other, because a page takes longer to open than to change. */
let shared: OpenPage;

beforeAll(async () => {
  previews = await openPreviews();
  shared = await previews.newPage();
});
afterAll(async () => {
  await shared?.close();
});

/** What another test looks at. */
const ELSEWHERE = `${FRAME}, .part:not([data-part="general"])`;

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
      const path = previews.pathOf(template);
      const isOpen = new URL(page.url()).pathname === path;
      if (!isOpen) await page.goto(path);
      await choose(page, title);
      await picture(page).locator(`.card-front.${front}`).waitFor();
      for (const [i, language] of ['', 'de'].entries()) {
        await page.locator('#preview').getByLabel('Language').selectOption(language);
        await picture(page).getByText(texts[i]!, { exact: true }).first().waitFor();
        for (const scheme of i === 0 ? ['Light', 'Dark'] : ['Dark', 'Light']) {
          await choose(page, scheme);
          await page.locator(`.phone.${scheme.toLowerCase()}`).waitFor();
          const known = !isOpen && i === 0 && scheme === 'Light' ? ELSEWHERE : DESIGNER;
          await look(page, `preview ${template} ${title} ${scheme} ${language}`, { known });
        }
        expect(await picture(page).innerText()).not.toMatch(/NaN|undefined|Invalid Date|\[object/);
      }
      expect(await picture(page).locator('.card').getAttribute('lang')).toBe('de');
    },
    WALK_TIMEOUT_MILLIS,
  );
});
