import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { buildObject, stateOf } from '../../../src/wallets/google/pass-object.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';
import { BASE_URL, ISSUER_ID, type Json } from './signer.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const OPTIONS = { issuerId: ISSUER_ID, baseUrl: BASE_URL, now: NOW };

/** Returns JSON as Google receives it, without undefined members. */
function sent(card: Card, options = OPTIONS): Record<string, Json> {
  return JSON.parse(JSON.stringify(buildObject(card, options).resource));
}

function moduleOf(card: Card, id: string): Record<string, Json> {
  return sent(card).textModulesData.find((module: { id: string }) => module.id === id);
}

/** Members that the API reference marks as required, by object, in addition to those of every object. */
const REQUIRED = {
  boardingPass: ['passengerName', 'reservationInfo'],
  eventTicket: [],
  storeCard: [],
  coupon: [],
  generic: ['cardTitle', 'header'],
} satisfies Record<SampleStyle, string[]>;

describe.each(Object.entries(REQUIRED) as [SampleStyle, string[]][])('%s', (style, members) => {
  const card = sampleCard(style);
  const resource = sent(card);

  test('has what Google requires', () => {
    expect(resource.id).toBe(`${ISSUER_ID}.${card.id}`);
    expect(resource.classId).toBe(buildClass(card, OPTIONS).resource.id);
    expect(resource.state).toBe('ACTIVE');
    for (const member of members) expect(resource[member], member).toBeTruthy();
  });

  test('has the barcode, the places and unique text modules', () => {
    expect(resource.barcode.value).toBe(card.barcode!.value);
    expect(resource.merchantLocations).toEqual([{ latitude: 52.520008, longitude: 13.404954 }]);
    const ids = (resource.textModulesData ?? []).map((module: { id: string }) => module.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every field path of the class leads to a text module of the object or to a member', () => {
    const text = JSON.stringify(buildClass(card, OPTIONS).resource);
    const paths = [...text.matchAll(/"fieldPath":"object\.textModulesData\['([^']+)'\]"/g)].map(([, id]) => id);
    for (const id of paths) expect(resource.textModulesData).toContainEqual(expect.objectContaining({ id }));
  });
});

describe('flight', () => {
  const resource = sent(sampleCard('boardingPass'));

  test('has the passenger', () => {
    expect(resource).toMatchObject({
      passengerName: 'Erika Mustermann',
      reservationInfo: { confirmationCode: 'QX3Y7Z' },
      boardingAndSeatingInfo: {
        boardingGroup: '2',
        boardingPosition: '17',
        seatNumber: '23A',
        seatClass: 'Economy',
        sequenceNumber: '0042',
      },
      groupingInfo: { groupingId: 'QX3Y7Z' },
    });
  });

  test('does not repeat the flight’s values as text', () => {
    const ids = resource.textModulesData.map((module: { id: string }) => module.id);
    expect(ids).toEqual(['gate', 'class', 'flight', 'boarding']);
  });
});

describe('transit', () => {
  const card = sampleCard('boardingPass', { flight: undefined, transitType: 'PKTransitTypeTrain' });

  test('goes from the first primary field to the second', () => {
    expect(sent(card)).toMatchObject({
      tripType: 'ONE_WAY',
      ticketLeg: {
        originName: { defaultValue: { language: 'en', value: 'BER' } },
        destinationName: { defaultValue: { language: 'en', value: 'JFK' } },
        departureDateTime: '2026-12-24T09:20:00+01:00',
      },
    });
  });

  test('has a departure or a validity, always', () => {
    const open = sent({ ...card, relevantAt: undefined, expirationAt: undefined });
    expect(open.ticketLeg).not.toHaveProperty('departureDateTime');
    expect(open.validTimeInterval.start.date).toBe('2026-11-02T10:30:00+01:00');
    const blank = sent({ ...card, fields: sampleFields({}) });
    expect(blank).not.toHaveProperty('ticketLeg');
    expect(blank.validTimeInterval.start.date).toBeTruthy();
  });
});

test('a loyalty card shows its balance as money, as a number or as text', () => {
  const balanceOf = (field: ReturnType<typeof sampleField>) =>
    sent(sampleCard('storeCard', { fields: sampleFields({ primaryFields: [field] }) })).loyaltyPoints;
  expect(sent(sampleCard('storeCard')).loyaltyPoints).toEqual({
    label: 'Balance',
    localizedLabel: {
      defaultValue: { language: 'en', value: 'Balance' },
      translatedValues: [{ language: 'de', value: 'Guthaben' }],
    },
    balance: { money: { micros: '25400000', currencyCode: 'EUR' } },
  });
  expect(balanceOf(sampleField('p', 'Points', 120, { type: 'number' })).balance).toEqual({ int: 120 });
  expect(balanceOf(sampleField('p', 'Points', 1.5, { type: 'number' })).balance).toEqual({ double: 1.5 });
  expect(balanceOf(sampleField('p', 'Stamps', '3/10')).balance).toEqual({ string: '3/10' });
});

test('an amount that Google’s 64 bits cannot hold is a text', () => {
  const balanceOf = (value: number) => {
    const field = sampleField('p', 'Balance', value, { type: 'currency', currencyCode: 'EUR' });
    return sent(sampleCard('storeCard', { fields: sampleFields({ primaryFields: [field] }) })).loyaltyPoints?.balance;
  };
  expect(balanceOf(9e12)).toEqual({ money: { micros: '9000000000000000000', currencyCode: 'EUR' } });
  expect(balanceOf(1e15)).toEqual({ string: '€1,000,000,000,000,000.00' });
});

test('a generic pass has its first primary field as header', () => {
  expect(sent(sampleCard('generic'))).toMatchObject({
    cardTitle: { defaultValue: { value: 'Example Sports Club' } },
    header: { defaultValue: { value: 'Zoë Sample' } },
    subheader: { defaultValue: { value: 'Member' }, translatedValues: [{ language: 'de', value: 'Mitglied' }] },
  });
  const untitled = sampleCard('generic', { fields: sampleFields({}), description: 'Membership' });
  expect(sent(untitled).header.defaultValue.value).toBe('Membership');
});

describe('text modules', () => {
  test('are translated in label and value', () => {
    expect(moduleOf(sampleCard('generic'), 'section')).toEqual({
      id: 'section',
      header: 'Section',
      localizedHeader: {
        defaultValue: { language: 'en', value: 'Section' },
        translatedValues: [{ language: 'de', value: 'Abteilung' }],
      },
      body: 'Rowing',
      localizedBody: {
        defaultValue: { language: 'en', value: 'Rowing' },
        translatedValues: [{ language: 'de', value: 'Rudern' }],
      },
    });
  });

  test('write dates and amounts as each language does', () => {
    const date = moduleOf(sampleCard('generic'), 'since');
    expect(date.body).toBe('May 1, 2019');
    expect(date.localizedBody.translatedValues).toEqual([{ language: 'de', value: '1. Mai 2019' }]);
    const price = moduleOf(sampleCard('eventTicket'), 'price');
    expect(price.body).toBe('€49.50');
    expect(price.localizedBody.translatedValues[0].value).toMatch(/^49,50\s€$/);
  });

  test('show a date in the account’s zone, or in its own', () => {
    const field = (more: object) =>
      sampleField('at', 'At', '2026-12-24T23:20:00+00:00', { type: 'date', timeStyle: 'PKDateStyleShort', ...more });
    const bodyOf = (more: object) =>
      moduleOf(sampleCard('coupon', { fields: sampleFields({ backFields: [field(more)] }) }), 'at').body;
    expect(bodyOf({})).toMatch(/^12:20\sAM$/);
    expect(bodyOf({ ignoresTimezone: true })).toMatch(/^11:20\sPM$/);
  });

  test('keep a value that is not a date, and handle a language unknown to Intl', () => {
    const fields = sampleFields({
      backFields: [sampleField('d', 'D', 'soon', { type: 'date' }), sampleField('n', 'N', 1234.5, { type: 'number' })],
    });
    const card = sampleCard('coupon', { fields, language: 'de-abcdefgh-abcdefgh', translations: {} });
    expect(moduleOf(card, 'd').body).toBe('soon');
    expect(moduleOf(card, 'n').body).toMatch(/^1[.,]234[.,]5$/);
  });

  test('have identifiers without dots, unique even for similar keys', () => {
    const keys = ['a.b', 'a_b', 'a b', '6502a1b2c3d4e.12345678', 'ä'];
    const backFields = keys.map((key) => sampleField(key, key, 'x'));
    const ids = sent(sampleCard('coupon', { fields: sampleFields({ backFields }) })).textModulesData.map(
      ({ id }: { id: string }) => id,
    );
    expect(ids).toEqual(['a_b', 'a_b_2', 'a_b_3', '6502a1b2c3d4e_12345678', '_']);
  });

  test('omit fields without a value', () => {
    const ids = sent(sampleCard('eventTicket')).textModulesData.map(({ id }: { id: string }) => id);
    expect(ids).toContain('terms');
    expect(ids).not.toContain('news');
  });
});

test('links keep their order, scheme and label', () => {
  expect(sent(sampleCard('eventTicket')).linksModuleData.uris).toEqual([
    { id: 'link-1', uri: 'https://concerts.example/programme?a=1&b=2', description: 'Programme & map' },
    { id: 'link-2', uri: 'tel:+493012345678', description: 'Call us' },
  ]);
});

test.each([
  ['qr', 'QR_CODE'],
  ['pdf417', 'PDF_417'],
  ['aztec', 'AZTEC'],
  ['code128', 'CODE_128'],
] as const)('a %s barcode has the type %s', (format, type) => {
  const barcode = { format, value: 'ä 1', alternativeText: '' };
  expect(sent(sampleCard('generic', { barcode })).barcode).toEqual({ type, value: 'ä 1' });
});

test.each([
  ['ean13', '4006381333931', 'EAN_13'],
  ['ean13', 'TSX8A9HBWRVJAJ3J', 'QR_CODE'],
  ['code39', 'PASS-0815', 'CODE_39'],
  ['code39', 'pass', 'QR_CODE'],
  ['codabar', '0815-4711', 'CODABAR'],
  ['codabar', 'x', 'QR_CODE'],
  ['itf', '00123456789012', 'ITF_14'],
  ['itf', 'TSX8A9HBWRVJAJ', 'QR_CODE'],
  ['itf', '0815', 'QR_CODE'],
  ['code128', 'Билет', 'QR_CODE'],
] as const)('a %s barcode with the value %s has the type %s', (format, value, type) => {
  const barcode = { format, value, alternativeText: '' };
  expect(sent(sampleCard('generic', { barcode })).barcode).toEqual({ type, value });
});

test('a card without barcode, places, links and dates omits these members', () => {
  const bare = sent(
    sampleCard('generic', { barcode: undefined, locations: [], validAsOfAt: undefined, fields: sampleFields({}) }),
  );
  expect(Object.keys(bare).sort()).toEqual(['cardTitle', 'classId', 'header', 'hexBackgroundColor', 'id', 'state']);
});

test('at most ten places are sent', () => {
  const locations = Array.from({ length: 12 }, (_, i) => ({ latitude: i, longitude: -i }));
  const { merchantLocations } = sent(sampleCard('coupon', { locations }));
  expect(merchantLocations).toHaveLength(10);
  expect(merchantLocations[9]).toEqual({ latitude: 9, longitude: -9 });
});

test('images are public addresses, and absent where Google cannot fetch them', () => {
  const image = (letter: string) => ({ sha256: letter.repeat(64), width: 1, height: 1, variants: {} });
  const card = sampleCard('generic', {
    images: { logo: image('a'), strip: image('b'), background: image('c'), thumbnail: image('d') },
  });
  const at = (letter: string) => ({ sourceUri: { uri: `${BASE_URL}/images/${letter.repeat(64)}` } });
  expect(sent(card)).toMatchObject({
    logo: at('a'),
    heroImage: at('b'),
    imageModulesData: [{ id: 'thumbnail', mainImage: at('d') }],
  });
  const local = sent(card, { ...OPTIONS, baseUrl: 'http://localhost:8787' });
  expect(JSON.stringify(local)).not.toContain('images/');
});

test('the validity has both ends with an offset', () => {
  const { validTimeInterval } = sent(
    sampleCard('coupon', { validAsOfAt: Date.UTC(2026, 6, 1), expirationAt: Date.UTC(2027, 0, 1) }),
  );
  expect(validTimeInterval).toEqual({
    start: { date: '2026-07-01T02:00:00+02:00' },
    end: { date: '2027-01-01T01:00:00+01:00' },
  });
});

test('the background color is on the object if Google supports it there, otherwise on the class', () => {
  for (const style of ['boardingPass', 'eventTicket', 'generic'] as const)
    expect(sent(sampleCard(style)).hexBackgroundColor).toBe('#1d3557');
  for (const style of ['storeCard', 'coupon'] as const) {
    expect(sent(sampleCard(style))).not.toHaveProperty('hexBackgroundColor');
    expect(buildClass(sampleCard(style), OPTIONS).resource.hexBackgroundColor).toBe('#1d3557');
  }
});

test.each([
  [{}, 'ACTIVE'],
  [{ expirationAt: NOW + 1 }, 'ACTIVE'],
  [{ expirationAt: NOW }, 'EXPIRED'],
  [{ redeemed: true }, 'COMPLETED'],
  [{ redeemed: true, expirationAt: NOW - 1 }, 'COMPLETED'],
  [{ voided: true }, 'INACTIVE'],
  [{ voided: true, redeemed: true }, 'INACTIVE'],
])('%o has the state %s', (change, state) => {
  expect(stateOf({ voided: false, redeemed: false, ...change }, NOW)).toBe(state);
  const card = sampleCard('coupon', { expirationAt: undefined, ...change });
  expect(sent(card).state).toBe(state);
});

describe('a code that rotates', () => {
  const card = (key?: string) => {
    const rotating = { periodSeconds: 30, digits: 8, key, apple: 'none' } as const;
    return sampleCard('eventTicket', {
      barcode: { format: 'pdf417', value: 'A1', alternativeText: 'Row 3', rotating },
    });
  };

  test('is computed by the phone, from the key and the pattern', () => {
    const { barcode, rotatingBarcode } = sent(card('3132333435363738393031323334353637383930'));
    expect(barcode).toBeUndefined();
    expect(rotatingBarcode).toEqual({
      type: 'PDF_417',
      valuePattern: 'A1.{totp_value_0}',
      alternateText: 'Row 3',
      totpDetails: {
        algorithm: 'TOTP_SHA1',
        periodMillis: '30000',
        parameters: [{ key: '3132333435363738393031323334353637383930', valueLength: 8 }],
      },
    });
  });

  test('is omitted without a key', () => {
    const { barcode, rotatingBarcode } = sent(card());
    expect([barcode, rotatingBarcode]).toEqual([undefined, undefined]);
  });
});
