import { expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { drawCard } from '../../../src/pages/card/draw-card.tsx';
import type { DrawOptions } from '../../../src/pages/card/drawing.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';

const NOW = Date.UTC(2026, 11, 1);
const STYLES: SampleStyle[] = ['boardingPass', 'eventTicket', 'storeCard', 'coupon', 'generic'];

function draw(card: Card, options: Partial<DrawOptions> = {}): string {
  const imageUrl: DrawOptions['imageUrl'] = ({ sha256 }, role) => `/images/${role}-${sha256}`;
  return String(
    drawCard(card, { language: 'en', face: 'both', imageUrl, barcodeUrl: '/code.svg', now: NOW, ...options }),
  );
}

/** Returns the values on the front from top to bottom. */
function values(html: string): string[] {
  return [...html.matchAll(/<dd><bdi>(.*?)<\/bdi><\/dd>/gs)].map(([, text]) => text!);
}

const image = { sha256: 'abc', width: 10, height: 10, variants: {} };

test.each(STYLES)('a %s shows each of its front fields, and no style attribute', (style) => {
  const card = sampleCard(style, { translations: {} });
  const html = draw(card, { face: 'front' });
  const { backFields, ...front } = card.fields;
  const labels = Object.values(front).flatMap((fields) => fields.map(({ label }) => label));
  for (const label of labels) expect(html).toContain(`<dt><bdi>${label.replace("'", '&#39;')}</bdi></dt>`);
  for (const { label } of backFields) expect(html).not.toContain(label);
  expect(html).not.toMatch(/\sstyle=|<script|\son\w+=/);
  expect(html).toContain('src="/code.svg"');
});

test('a boarding pass leads from origin to destination, with the auxiliary row above the secondary one', () => {
  expect(values(draw(sampleCard('boardingPass'), { face: 'front' }))).toEqual([
    'B12',
    'BER',
    'JFK',
    'LH401',
    '23A',
    expect.stringMatching(/^9:20\sAM$/),
    'Erika Mustermann',
    'Economy',
  ]);
});

test('fields beyond what a wallet shows are omitted', () => {
  const many = (list: string) => Array.from({ length: 7 }, (_, i) => sampleField(`${list}${i}`, '', `${list}${i}`));
  const fields = sampleFields({
    headerFields: many('h'),
    primaryFields: many('p'),
    secondaryFields: many('s'),
    auxiliaryFields: many('a'),
  });
  const shown = (style: SampleStyle) => values(draw(sampleCard(style, { fields }), { face: 'front' })).join(' ');
  expect(shown('boardingPass')).toBe('h0 h1 h2 p0 p1 a0 a1 a2 a3 a4 s0 s1 s2 s3');
  expect(shown('coupon')).toBe('h0 h1 h2 p0 s0 s1 s2 s3');
  expect(shown('eventTicket')).toBe('h0 h1 h2 p0 s0 s1 s2 s3 a0 a1 a2 a3');
});

test('a generic pass has one row above a square code and two above a flat one', () => {
  const rows = (format: 'qr' | 'pdf417') => {
    const barcode = { format, value: 'x', alternativeText: '' };
    const fields = sampleFields({
      secondaryFields: [sampleField('s', '', 'S')],
      auxiliaryFields: [sampleField('a', '', 'A')],
    });
    return draw(sampleCard('generic', { fields, barcode }), { face: 'front' }).match(/class="card-row/g)!.length;
  };
  expect([rows('qr'), rows('pdf417')]).toEqual([1, 2]);
});

test('images are placed where their style allows them', () => {
  const images = { logo: image, strip: image, thumbnail: image, footer: image, background: image, icon: image };
  const roles = (style: SampleStyle, type: Card['type'] = style) =>
    [...draw(sampleCard(style, { images, type }), { face: 'front' }).matchAll(/\/images\/(\w+)-abc/g)]
      .map(([, role]) => role)
      .sort();
  expect(roles('boardingPass')).toEqual(['footer', 'logo']);
  expect(roles('coupon')).toEqual(['logo', 'strip']);
  expect(roles('eventTicket')).toEqual(['logo', 'strip']);
  expect(roles('generic')).toEqual(['logo', 'thumbnail']);
  const { strip, ...withoutStrip } = images;
  const ticket = draw(sampleCard('eventTicket', { images: withoutStrip, type: 'eventTicketBackground' }));
  expect(ticket).toContain('/images/background-abc');
  expect(ticket).toContain('/images/thumbnail-abc');
});

test('the card uses the visitor’s language if possible, and declares it', () => {
  const german = draw(sampleCard('eventTicket'), { language: 'de' });
  expect(german).toContain('<dt><bdi>Veranstaltung</bdi></dt>');
  expect(german).toContain('Neujahrskonzert – Österreich');
  expect(german).toMatch(/^<article [^>]*lang="de" dir="ltr"/);
  const french = draw(sampleCard('eventTicket'), { language: 'fr' });
  expect(french).toContain('<dt><bdi>Event</bdi></dt>');
  expect(french).toMatch(/^<article [^>]*lang="en"/);
  expect(french).toContain('<fieldset class="card-turn" lang="fr"');
});

test('texts of a card are escaped, whatever they contain', () => {
  const hostile = '"><script>alert(1)</script>';
  const field = (key: string) => sampleField(key, hostile, hostile);
  const html = draw(
    sampleCard('generic', {
      description: hostile,
      logoText: hostile,
      fields: sampleFields({ primaryFields: [field('a')], backFields: [field('b')] }),
      links: [
        { label: hostile, url: 'https://safe.example/"onclick="x' },
        { label: 'Unsafe', url: 'javascript:alert(1)' },
      ],
    }),
  );
  expect(html).not.toContain('<script');
  expect(html).not.toContain('javascript:');
  expect(html).not.toContain('Unsafe');
  expect(html).toContain('href="https://safe.example/%22onclick=%22x"');
});

test('addresses in back fields are links', () => {
  const text =
    'Mail a.b@shop.example, call +49 30 1234567 or see https://shop.example/x?a=1&b=2 (or http://b.example).';
  const card = sampleCard('generic', { fields: sampleFields({ backFields: [sampleField('b', 'Help', text)] }) });
  const links = [...draw(card, { face: 'back' }).matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(([, href, label]) => [
    href,
    label,
  ]);
  expect(links).toEqual([
    ['mailto:a.b@shop.example', 'a.b@shop.example'],
    ['tel:+49301234567', '+49 30 1234567'],
    ['https://shop.example/x?a=1&amp;b=2', 'https://shop.example/x?a=1&amp;b=2'],
    ['http://b.example/', 'http://b.example'],
  ]);
});

test.each([
  ['voided', { voided: true }, 'Voided'],
  ['expired', { expirationAt: NOW }, 'Expired'],
  ['voided and expired', { voided: true, expirationAt: NOW }, 'Voided'],
])('a pass that is %s shows it', (_, overrides, word) => {
  const html = draw(sampleCard('coupon', overrides));
  expect(html).toContain(`>${word}</strong>`);
  expect(html).toMatch(/class="card-front coupon invalid"/);
});

test('a valid pass shows no state', () => {
  const html = draw(sampleCard('coupon', { expirationAt: NOW + 1 }));
  expect(html).not.toContain('card-state');
  expect(html).not.toContain('invalid');
});

test('only a card with a back can be turned', () => {
  expect(draw(sampleCard('generic'))).toContain('<fieldset');
  const plain = draw(sampleCard('generic', { fields: sampleFields({}), links: [] }));
  expect(plain).not.toContain('<fieldset');
  expect(plain).not.toContain('card-back');
});
