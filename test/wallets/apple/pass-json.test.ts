import { describe, expect, test } from 'vitest';
import type { Location } from '../../../src/domain/fields.ts';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { buildPassJson } from '../../../src/wallets/apple/pass-json.ts';
import { readAirports } from '../../support/airports.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';

const SIGNING = { passTypeId: 'pass.com.example.test', teamId: 'ABCDE12345', readAirports };

/** Returns the written pass.json. */
async function write(card: Card, webServiceUrl?: string) {
  return JSON.parse(JSON.stringify(await buildPassJson(card, { ...SIGNING, webServiceUrl })));
}

/** The field with the last push's text, at the end of every pass's back. */
const PUSH_TEXT = { key: 'push-text', label: 'Latest message', value: '–', changeMessage: '%@' };

/** Returns a generic card with one list of fields, without the field of the last push. */
async function withFields(...lists: Parameters<typeof sampleFields>) {
  const pass = await write(sampleCard('generic', { fields: sampleFields(...lists) }));
  expect(pass.generic.backFields.pop()).toEqual(PUSH_TEXT);
  if (pass.generic.backFields.length === 0) delete pass.generic.backFields;
  return pass;
}

describe('the top of pass.json', () => {
  test('names the issuer of the pass', async () => {
    expect(await write(sampleCard('generic'))).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: 'pass.com.example.test',
      teamIdentifier: 'ABCDE12345',
      serialNumber: sampleCard('generic').id,
      organizationName: 'Example Sports Club',
      description: 'Membership card',
    });
  });

  test.each<[SampleStyle | 'eventTicketBackground', string]>([
    ['boardingPass', 'boardingPass'],
    ['coupon', 'coupon'],
    ['eventTicket', 'eventTicket'],
    ['eventTicketBackground', 'eventTicket'],
    ['generic', 'generic'],
    ['storeCard', 'storeCard'],
  ])('puts the fields of type %s under %s', async (type, key) => {
    const sample = type === 'eventTicketBackground' ? 'eventTicket' : type;
    const pass = await write(sampleCard(sample, { type }));
    const styles = ['boardingPass', 'coupon', 'eventTicket', 'eventTicketBackground', 'generic', 'storeCard'];
    expect(Object.keys(pass).filter((name) => styles.includes(name))).toEqual([key]);
    expect(pass[key].primaryFields.length).toBeGreaterThan(0);
    expect(pass[key].transitType).toBe(type === 'boardingPass' ? 'PKTransitTypeAir' : undefined);
  });

  test('writes colors as rgb()', async () => {
    const colors = { backgroundColor: '#0a80ff', foregroundColor: '#ffffff', labelColor: '#000000' };
    expect(await write(sampleCard('coupon', { colors }))).toMatchObject({
      backgroundColor: 'rgb(10, 128, 255)',
      foregroundColor: 'rgb(255, 255, 255)',
      labelColor: 'rgb(0, 0, 0)',
    });
    expect(await write(sampleCard('coupon', { colors: {} }))).not.toHaveProperty('backgroundColor');
  });

  test('has the footer color of event tickets only', async () => {
    const colors = { footerBackgroundColor: '#010203' };
    expect(await write(sampleCard('eventTicket', { colors }))).toHaveProperty('footerBackgroundColor', 'rgb(1, 2, 3)');
    expect(await write(sampleCard('storeCard', { colors }))).not.toHaveProperty('footerBackgroundColor');
  });

  test('names the update service together with the token, or neither', async () => {
    const card = sampleCard('generic');
    expect(await write(card, 'https://passes.example/wallet/apple')).toMatchObject({
      webServiceURL: 'https://passes.example/wallet/apple',
      authenticationToken: card.authenticationToken,
    });
    const without = await write(card);
    expect(without).not.toHaveProperty('webServiceURL');
    expect(without).not.toHaveProperty('authenticationToken');
  });

  test('has voided, sharing prohibited and the expiration only if they apply', async () => {
    const plain = await write(sampleCard('generic'));
    for (const key of ['voided', 'sharingProhibited', 'expirationDate', 'logoText'])
      expect(plain).not.toHaveProperty(key);
    const card = sampleCard('generic', {
      voided: true,
      sharingProhibited: true,
      logoText: 'Logo',
      expirationAt: Date.UTC(2027, 6, 1, 10, 0),
    });
    expect(await write(card)).toMatchObject({
      voided: true,
      sharingProhibited: true,
      logoText: 'Logo',
      expirationDate: '2027-07-01T12:00:00+02:00',
    });
  });

  test('groups only event tickets and boarding passes', async () => {
    for (const style of ['eventTicket', 'boardingPass'] as const)
      expect(await write(sampleCard(style, { groupingIdentifier: 'g' }))).toHaveProperty('groupingIdentifier', 'g');
    for (const style of ['storeCard', 'coupon', 'generic'] as const)
      expect(await write(sampleCard(style, { groupingIdentifier: 'g' }))).not.toHaveProperty('groupingIdentifier');
  });
});

describe('barcodes', () => {
  const barcode = (format: 'qr' | 'pdf417' | 'aztec' | 'code128', value: string, alternativeText = '') =>
    write(sampleCard('generic', { barcode: { format, value, alternativeText } }));

  test.each([
    ['qr', 'PKBarcodeFormatQR'],
    ['pdf417', 'PKBarcodeFormatPDF417'],
    ['aztec', 'PKBarcodeFormatAztec'],
  ] as const)('writes %s twice, for new and old systems', async (format, name) => {
    const code = { format: name, message: 'A1', messageEncoding: 'iso-8859-1', altText: 'one' };
    const pass = await barcode(format, 'A1', 'one');
    expect(pass.barcodes).toEqual([code]);
    expect(pass.barcode).toEqual(code);
  });

  test('puts a QR code after Code 128, which watches do not show', async () => {
    const pass = await barcode('code128', 'A1');
    expect(pass.barcodes.map(({ format }: { format: string }) => format)).toEqual([
      'PKBarcodeFormatCode128',
      'PKBarcodeFormatQR',
    ]);
    expect(pass).not.toHaveProperty('barcode');
    expect(pass.barcodes[0]).not.toHaveProperty('altText');
  });

  test.each([
    ['none', undefined],
    ['static', 'A1'],
  ] as const)('do not rotate: with "%s" the message is %s', async (apple, message) => {
    const rotating = { periodSeconds: 30, digits: 6, key: '00'.repeat(20), apple };
    const pass = await write(
      sampleCard('generic', { barcode: { format: 'qr', value: 'A1', alternativeText: '', rotating } }),
    );
    expect([pass.barcode?.message, pass.barcodes?.[0].message]).toEqual([message, message]);
    expect(JSON.stringify(pass)).not.toContain(rotating.key);
  });

  test('is Latin 1 unless the text is outside it', async () => {
    expect((await barcode('qr', 'Grüße ÿ')).barcodes[0].messageEncoding).toBe('iso-8859-1');
    expect((await barcode('qr', 'Preis 5 €')).barcodes[0].messageEncoding).toBe('utf-8');
  });

  test('is absent without a code or a value', async () => {
    for (const pass of [await write(sampleCard('generic', { barcode: undefined })), await barcode('qr', '')]) {
      expect(pass).not.toHaveProperty('barcodes');
      expect(pass).not.toHaveProperty('barcode');
    }
  });
});

describe('NFC', () => {
  const nfc = async (message: string) => {
    const card = sampleCard('generic', {
      nfc: { message, encryptionPublicKey: 'KEY', requiresAuthentication: false },
    });
    return (await write(card)).nfc;
  };

  test('has message and key', async () => {
    expect(await nfc('m')).toEqual({ message: 'm', encryptionPublicKey: 'KEY' });
    expect(await nfc('')).toBeUndefined();
    expect(await write(sampleCard('generic'))).not.toHaveProperty('nfc');
  });

  test('truncates the message to 64 bytes between characters', async () => {
    expect((await nfc('x'.repeat(65))).message).toBe('x'.repeat(64));
    expect((await nfc(`${'x'.repeat(63)}ü`)).message).toBe('x'.repeat(63));
    expect((await nfc(`${'x'.repeat(62)}üü`)).message).toBe(`${'x'.repeat(62)}ü`);
    expect((await nfc(`${'x'.repeat(61)}😀`)).message).toBe('x'.repeat(61));
  });
});

describe('relevance', () => {
  test('writes the date in all spellings, in the zone of the account', async () => {
    const pass = await write(sampleCard('generic', { relevantAt: Date.UTC(2027, 0, 1, 18, 30) }));
    const date = '2027-01-01T19:30:00+01:00';
    expect(pass.relevantDates).toEqual([{ date, relevantDate: date }]);
    expect(pass.relevantDate).toBe(date);
    expect(await write(sampleCard('generic'))).not.toHaveProperty('relevantDates');
  });

  test('has the first ten locations and their largest distance, as numbers', async () => {
    const locations: Location[] = Array.from({ length: 12 }, (_, i) => ({
      latitude: i,
      longitude: -i,
      maxDistance: i === 11 ? 9_999 : i * 10,
    }));
    const pass = await write(sampleCard('generic', { locations }));
    expect(pass.locations).toHaveLength(10);
    expect(pass.locations[9]).toEqual({ latitude: 9, longitude: -9 });
    expect(pass.maxDistance).toBe(90);
  });

  test('has altitude and text if a location has them', async () => {
    const locations: Location[] = [
      { latitude: 1, longitude: 2, altitude: 0, maxDistance: null, relevantText: 'Near' },
      { latitude: 1, longitude: 2, altitude: null, localizedRelevantText: { de: 'Nah', en: 'Close' } },
    ];
    const pass = await write(sampleCard('generic', { locations }));
    expect(pass.locations).toEqual([
      { latitude: 1, longitude: 2, altitude: 0, relevantText: 'Near' },
      { latitude: 1, longitude: 2, relevantText: 'Close' },
    ]);
    expect(pass).not.toHaveProperty('maxDistance');
    expect(await write(sampleCard('generic', { locations: [] }))).not.toHaveProperty('locations');
  });
});

describe('fields', () => {
  test('has key, label and value', async () => {
    const { generic } = await withFields({
      headerFields: [sampleField('a', 'A', 'x', { changeMessage: 'Now %@' })],
      primaryFields: [sampleField('b', '', 7, { type: 'number' })],
    });
    expect(generic).toEqual({
      headerFields: [{ key: 'a', label: 'A', value: 'x', changeMessage: 'Now %@' }],
      primaryFields: [{ key: 'b', value: 7 }],
    });
  });

  test('aligns text where Wallet allows it', async () => {
    const alignment = 'PKTextAlignmentRight';
    const { generic } = await withFields({
      headerFields: [sampleField('a', 'A', 'x', { alignment })],
      primaryFields: [sampleField('b', 'B', 'x', { alignment })],
      backFields: [sampleField('c', 'C', 'x', { alignment })],
    });
    expect(generic.headerFields[0]).toHaveProperty('textAlignment', alignment);
    expect(generic.primaryFields[0]).not.toHaveProperty('textAlignment');
    expect(generic.backFields[0]).not.toHaveProperty('textAlignment');
  });

  test('has rows only in the auxiliary fields of event tickets', async () => {
    const fields = sampleFields({
      secondaryFields: [sampleField('a', 'A', 'x', { row: 1 })],
      auxiliaryFields: [sampleField('b', 'B', 'x', { row: 1 }), sampleField('c', 'C', 'x', { row: 0 })],
    });
    const ticket = await write(sampleCard('eventTicket', { fields }));
    expect(ticket.eventTicket.auxiliaryFields.map(({ row }: { row?: number }) => row)).toEqual([1, 0]);
    expect(ticket.eventTicket.secondaryFields[0]).not.toHaveProperty('row');
    expect((await write(sampleCard('generic', { fields }))).generic.auxiliaryFields[0]).not.toHaveProperty('row');
  });

  test('formats dates with both styles, and does not change other texts', async () => {
    const date = (value: string, more = {}) => sampleField(value, '', value, { type: 'date', ...more });
    const { generic } = await withFields({
      backFields: [
        date('2027-01-01T10:00:00Z', { dateStyle: 'PKDateStyleLong', isRelative: true, ignoresTimezone: true }),
        date('2027-01-01T10:00:00+01:00'),
        date('soon', { dateStyle: 'PKDateStyleLong' }),
      ],
    });
    expect(generic.backFields).toEqual([
      {
        key: '2027-01-01T10:00:00Z',
        value: '2027-01-01T10:00:00Z',
        dateStyle: 'PKDateStyleLong',
        timeStyle: 'PKDateStyleNone',
        ignoresTimeZone: true,
        isRelative: true,
      },
      {
        key: '2027-01-01T10:00:00+01:00',
        value: '2027-01-01T10:00:00+01:00',
        dateStyle: 'PKDateStyleMedium',
        timeStyle: 'PKDateStyleShort',
      },
      { key: 'soon', value: 'soon' },
    ]);
  });

  test('has a currency or a number style, on numbers only', async () => {
    const { generic } = await withFields({
      backFields: [
        sampleField('a', '', 1.5, { currencyCode: 'EUR', numberStyle: 'PKNumberStyleDecimal' }),
        sampleField('b', '', 2, { numberStyle: 'PKNumberStylePercent' }),
        sampleField('c', '', 'free', { currencyCode: 'EUR' }),
      ],
    });
    expect(generic.backFields).toEqual([
      { key: 'a', value: 1.5, currencyCode: 'EUR' },
      { key: 'b', value: 2, numberStyle: 'PKNumberStylePercent' },
      { key: 'c', value: 'free' },
    ]);
  });

  test('turns links into fields on the back, after the others, with their own keys', async () => {
    const { generic } = await write(
      sampleCard('generic', {
        fields: sampleFields({ backFields: [sampleField('link-1', 'A', 'x')] }),
        links: [
          { label: 'Site', url: `https://a.example/?a=1&b="<'>` },
          { label: '', url: 'tel:+4930123' },
        ],
      }),
    );
    const escaped = 'https://a.example/?a=1&amp;b=&quot;&lt;&#39;&gt;';
    expect(generic.backFields).toEqual([
      { key: 'link-1', label: 'A', value: 'x' },
      {
        key: '_link-1',
        label: 'Site',
        value: `https://a.example/?a=1&b="<'>`,
        attributedValue: `<a href="${escaped}">${escaped}</a>`,
        dataDetectorTypes: [],
      },
      {
        key: 'link-2',
        value: '+4930123',
        attributedValue: '<a href="tel:+4930123">+4930123</a>',
        dataDetectorTypes: [],
      },
      PUSH_TEXT,
    ]);
  });

  test('shows the last push’s text in a field that exists from the start, so that it can change', async () => {
    const backOf = async (overrides: Partial<Card>) =>
      (await write(sampleCard('generic', overrides))).generic.backFields.at(-1);
    expect(await backOf({})).toEqual(PUSH_TEXT);
    expect(await backOf({ pushText: 'The gates are open' })).toEqual({ ...PUSH_TEXT, value: 'The gates are open' });
    expect(await backOf({ language: 'de' })).toEqual({ ...PUSH_TEXT, label: 'Letzte Nachricht' });
    const taken = sampleFields({ backFields: [sampleField('push-text', 'A', 'x')] });
    expect(await backOf({ fields: taken })).toEqual({ ...PUSH_TEXT, key: '_push-text' });
  });
});
