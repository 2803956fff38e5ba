import { expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { cardColorsCss } from '../../../src/pages/card/card-colors.ts';
import { drawCard } from '../../../src/pages/card/draw-card.tsx';
import type { DrawOptions } from '../../../src/pages/card/drawing.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { buildObject } from '../../../src/wallets/google/pass-object.ts';
import { type SampleStyle, sampleCard } from '../../support/card.ts';

const NOW = Date.UTC(2026, 11, 1);
const STYLES: SampleStyle[] = ['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic'];
const imageUrl: DrawOptions['imageUrl'] = ({ sha256 }, role) => `/images/${role}-${sha256}`;

function draw(style: SampleStyle, face: 'front' | 'back' = 'front'): string {
  const card = sampleCard(style, { translations: {} });
  return String(drawCard(card, { look: 'google', language: 'en', face, imageUrl, barcodeUrl: '/code.svg', now: NOW }));
}

/** We have no layout for flights: `new-looks.test.tsx` tests Google's own. */
const LAID_OUT = STYLES.filter((style) => style !== 'boardingPass');

test.each(LAID_OUT)('a %s shows on its front the rows of its Google class, in order', (style) => {
  const card = sampleCard(style, { translations: {} });
  const { resource } = buildClass(card, { issuerId: '1', baseUrl: 'https://passes.example' });
  const named = [...JSON.stringify(resource.classTemplateInfo ?? {}).matchAll(/textModulesData\['([^']+)'\]/g)].map(
    ([, id]) => id,
  );
  const labels = Object.values(card.fields)
    .flat()
    .filter(({ key, value }) => named.includes(key) && value !== '')
    .sort((a, b) => named.indexOf(a.key) - named.indexOf(b.key))
    .map(({ label }) => label);
  const drawn = [...draw(style).matchAll(/class="google-row">(.*?)<\/dl>/gs)].flatMap(([, row]) =>
    [...row!.matchAll(/<dt><bdi>(.*?)<\/bdi><\/dt>/g)].map(([, label]) => label),
  );
  const balance = style === 'storeCard' ? [card.fields.primaryFields[0]!.label] : [];
  expect(drawn).toEqual([...balance, ...labels]);
});

test.each(STYLES)('a %s shows in its details the texts of its Google object', (style) => {
  const card = sampleCard(style, { translations: {} });
  const { resource } = buildObject(card, { issuerId: '1', baseUrl: 'https://passes.example', now: NOW });
  const held = (resource.textModulesData as { header?: string }[]).map(({ header }) => header ?? '');
  const shown = [...draw(style, 'back').matchAll(/<dt><bdi>(.*?)<\/bdi><\/dt>/g)].map(([, label]) => label);
  expect(shown).toEqual(held);
  for (const { label } of card.fields.backFields) expect(draw(style)).not.toContain(`<bdi>${label}</bdi>`);
});

test('Google uses only the background, with text in black or white', () => {
  const colors = { backgroundColor: '#ffffdd', foregroundColor: '#ff0000', labelColor: '#00ff00' };
  const css = cardColorsCss({ id: 'x', colors }, 'google');
  expect(css).toContain('--card-background:#ffffdd');
  expect(css).toContain('--card-foreground:#000000');
  expect(css).not.toContain('ff0000');
});

/** Draws a card with its template's Google settings. */
function drawWith(style: SampleStyle, overrides: Partial<Card>, face: 'front' | 'back' = 'front'): string {
  const card = sampleCard(style, { translations: {}, ...overrides });
  return String(drawCard(card, { look: 'google', language: 'en', face, imageUrl, barcodeUrl: '/code.svg', now: NOW }));
}

test('a wide logo replaces the round one, also on flights', () => {
  const google = { wideLogo: { sha256: 'abc', width: 1_280, height: 400 } };
  expect(drawWith('generic', { google })).toContain('class="google-wide-logo" src="/images/logo-abc"');
  expect(drawWith('generic', { google })).not.toContain('google-logo"');
  expect(drawWith('boardingPass', { google })).toContain('class="google-wide-logo" src="/images/logo-abc"');
});

test('a ticket shows its seat and place, and a custom layout its own fields first', () => {
  const field = (fieldPath: string) => ({ fieldPath });
  const item = (...paths: string[]) => ({ firstValue: { fields: paths.map(field) } });
  const seatInfo = { section: 'A', row: '7', seat: '12', gate: '' };
  const venue = { name: 'Great Hall', address: 'Main Street 1' };
  const generated = drawWith('eventTicket', { google: { seatInfo } });
  expect(generated).toContain('<dt><bdi>Section</bdi></dt><dd><bdi>A</bdi></dd>');
  expect(generated).not.toContain('<bdi>Gate</bdi>');
  const cardRowTemplateInfos = [
    { twoItems: { startItem: item('object.seatInfo.gate', 'class.venue.name'), endItem: item('object.unknown') } },
  ];
  const classTemplateInfo = { cardTemplateOverride: { cardRowTemplateInfos } };
  const own = drawWith('eventTicket', { google: { seatInfo, venue, classTemplateInfo } });
  expect([...own.matchAll(/<dt><bdi>(.*?)<\/bdi>/g)].map(([, label]) => label)).toEqual(['Venue']);
});

test('a gift card shows its balance', () => {
  expect(drawWith('storeCard', { googleKind: 'giftCard' })).toContain('<dd><bdi>€25.40</bdi></dd>');
});

test('the details list the template’s texts, offers and links, with addresses that a page may open', () => {
  const google = {
    textModulesData: [{ header: 'Hours', body: 'All day' }],
    valueAddedModuleData: [{ header: 'Parking', body: 'Book a place', uri: 'https://parking.example/' }],
    linksModuleData: { uris: [{ uri: 'https://a.example/', description: 'Site' }, { uri: 'myapp://open' }] },
  };
  const details = drawWith('generic', { google, links: [] }, 'back');
  for (const text of ['Hours', 'All day', 'Book a place', 'href="https://parking.example/"', '>Site<']) {
    expect(details).toContain(text);
  }
  expect(details).not.toContain('myapp:');
});
