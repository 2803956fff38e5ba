import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { type OpenPage, openPage } from '../support/browser.ts';
import { LOOKS } from '../support/page-faults.ts';
import type { TemplateInput } from '../support/samples.ts';

/*
 * How a card handles long and short texts, measured in a browser, because only it knows where they end.
 */

const LOGO = readFileSync(join(import.meta.dirname, '../../scripts/demo/images/corvane-logo.png')).toString('base64');
const HEADER_HEIGHT_MAX = 120;
/** Words up to this length stay whole; next to a longer word that breaks, shorter ones may break. */
const WORD_CHARS_MAX = 14;

type Fields = NonNullable<TemplateInput['fields']>;

let client: Client;
/** Addresses of the pages in `CARDS`. */
let paths: Record<string, string>;
beforeAll(async () => {
  client = await freshAccount();
  paths = Object.fromEntries(
    await Promise.all(Object.entries(CARDS).map(async ([name, template]) => [name, await pageOf(template)] as const)),
  );
});

const field = (label: string, value: string, more: object = {}) => ({ label, value, ...more });

async function pageOf(template: Partial<TemplateInput>, language = ''): Promise<string> {
  const { linkToPassPage } = await client.createPass(await client.createTemplate(template));
  return language + new URL(linkToPassPage).pathname;
}

const journey = (from: [string, string], to: [string, string]): Partial<TemplateInput> => ({
  type: 'boardingPass',
  transitType: 'PKTransitTypeTrain',
  logoText: 'Aurora Rail',
  fields: {
    headerFields: [field('Coach', '21'), field('Date', '14 May')],
    primaryFields: [field(...from), field(...to)],
  },
});

const withHeader = (logoText: string | undefined, headerFields: Fields['headerFields']): Partial<TemplateInput> => ({
  logoText,
  images: { logo: LOGO },
  fields: { headerFields, primaryFields: [field('Member', 'Ada Lovelace')] },
});

const CARDS: Record<string, Partial<TemplateInput>> = {
  'short names': journey(['From', 'Vienna'], ['To', 'Hamburg']),
  capitals: journey(['From', 'VIENNA'], ['To', 'HAMBURG']),
  'names of several words': journey(['From', 'München Hbf'], ['To', 'Amsterdam Centraal']),
  'names of 14 letters': journey(['From', 'Recklinghausen'], ['To', 'Hohenschwangau']),
  'very long names': journey(
    ['From', 'Petropavlovsk-Kamchatsky'],
    ['To', 'Llanfairpwllgwyngyllgogerychwyrndrobwllllanty'],
  ),
  'a long label of a route': journey(['Petropavlovskkamchatskyinternational', 'ZRH'], ['Lisbon', 'LIS']),
  'logo, text and a field': withHeader('Frequent flyer programme', [field('Level', 'Platinum')]),
  'logo, text and two fields': withHeader('Mitgliedschaft', [field('Level', 'Platinum'), field('Points', '12,400')]),
  'logo and three fields': withHeader(undefined, [
    field('Flight', 'ZZ 2184'),
    field('Gate', 'A72'),
    field('Date', '14 May'),
  ]),
  'a long word in the logo’s text': withHeader('Supercalifragilisticexpialidocious-Gesellschaft', [
    field('A very long label', 'A long value 2027'),
    field('Second', '12:45'),
  ]),
  'a long word in a header field': withHeader(undefined, [
    field('Donaudampfschifffahrtsgesellschaft', 'Donaudampfschifffahrtsgesellschaftskapitän'),
    field('Second', '12:45'),
  ]),
};

/** Returns what is outside the card's front or cut off, and which words of at most `charsMax` characters break. */
function misfits(page: Page, charsMax: number): Promise<string[]> {
  return page.evaluate(`(() => {
    const front = document.querySelector('.card-front');
    const { left, right } = front.getBoundingClientRect();
    const texts = [...front.querySelectorAll('dt, dd, .card-logo-text')];
    const outside = [...texts, ...front.querySelectorAll('dl, .card-logo')].filter((box) => {
      const is = box.getBoundingClientRect();
      return is.left < left - 1 || is.right > right + 1 || box.scrollWidth > box.clientWidth + 1;
    });
    const broken = texts.flatMap((box) => {
      const node = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode();
      return [...(node?.textContent ?? '').matchAll(/[^\\s-]+/g)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 1 && word.length <= ${charsMax} ? ['breaks: ' + word] : [];
      });
    });
    return [...outside.map((box) => 'outside: ' + box.textContent), ...broken];
  })()`);
}

describe.each(LOOKS)('a card, $viewport.width pixels wide, $colorScheme', (options) => {
  let opened: OpenPage;
  let page: Page;
  beforeAll(async () => {
    opened = await openPage(options);
    ({ page } = opened);
  });
  afterAll(() => opened.close());

  test.each(Object.keys(CARDS))('with %s keeps everything inside and short words whole', async (name) => {
    await page.goto(paths[name]!);
    expect(await misfits(page, name.includes('long') ? 10 : WORD_CHARS_MAX)).toEqual([]);
    expect((await page.locator('.card-header').boundingBox())!.height).toBeLessThan(HEADER_HEIGHT_MAX);
  });

  test('shows its header fields in a row', async () => {
    await page.goto(paths['logo and three fields']!);
    const tops = await page
      .locator('.card-header-fields > *')
      .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    expect((await page.locator('.card-logo').boundingBox())!.width).toBeGreaterThan(100);
  });

  test('has a right-aligned field on the right, even if its row wraps', async () => {
    const alignment = 'PKTextAlignmentRight';
    const long = field('Passenger', 'Maximiliane Alexandra von Hohenstaufen');
    await page.goto(await pageOf({ fields: { secondaryFields: [long, field('Seat', '14', { alignment })] } }));
    const [row, seat] = await Promise.all(['.card-row', '.align-right'].map((one) => page.locator(one).boundingBox()));
    expect(seat!.x + seat!.width).toBeCloseTo(row!.x + row!.width, 0);
  });

  test('runs from right to left in Arabic, and its numbers do not', async () => {
    const number = field('Number', '04 187');
    const path = await pageOf(
      {
        fields: { primaryFields: [number], backFields: [number] },
        translationsEnabled: true,
        translations: { ar: { Number: 'رقم العضو' } },
      },
      '/ar',
    );
    const leftOf = (box: string, from: number, to: number): Promise<number> =>
      page.evaluate(`(() => {
        const box = document.querySelector('${box}');
        const node = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode();
        const range = document.createRange();
        range.setStart(node, ${from});
        range.setEnd(node, ${to});
        return range.getBoundingClientRect().left;
      })()`);
    const expectInOrder = async (box: string) => expect(await leftOf(box, 0, 2)).toBeLessThan(await leftOf(box, 3, 6));
    await page.goto(path);
    await expectInOrder('.card-front dd');
    await page.locator('.show-back').check();
    await expectInOrder('.card-back dd');
    await page.goto(`${path}?print`);
    await expectInOrder('.sheet dd');
  });
});
