import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import { googleKindOf } from '../../../src/domain/passes/google/google-object.ts';
import { buildClass } from '../../../src/wallets/google/pass-class.ts';
import { type SampleStyle, sampleCard, sampleField, sampleFields } from '../../support/card.ts';
import { BASE_URL, ISSUER_ID, type Json } from './signer.ts';

const OPTIONS = { issuerId: ISSUER_ID, baseUrl: BASE_URL };
const IMAGES: Card['images'] = {
  icon: { sha256: 'a'.repeat(64), width: 90, height: 90, variants: {} },
  logo: { sha256: 'b'.repeat(64), width: 660, height: 660, variants: {} },
};

/** Returns JSON as Google receives it, without undefined members. */
function sent(card: Card, options = OPTIONS): Record<string, Json> {
  return JSON.parse(JSON.stringify(buildClass(card, options).resource));
}

function train(overrides: Partial<Card> = {}): Card {
  return sampleCard('boardingPass', {
    flight: undefined,
    transitType: 'PKTransitTypeTrain',
    images: IMAGES,
    ...overrides,
  });
}

describe('kinds', () => {
  test.each([
    [sampleCard('boardingPass'), 'flight'],
    [train(), 'transit'],
    [sampleCard('coupon'), 'offer'],
    [sampleCard('eventTicket'), 'eventTicket'],
    [sampleCard('eventTicket', { type: 'eventTicketBackground' }), 'eventTicket'],
    [sampleCard('storeCard'), 'loyalty'],
    [sampleCard('generic'), 'generic'],
  ] as const)('%#: a card becomes the kind of the map', (card, kind) => {
    expect(googleKindOf(card)).toBe(kind);
    expect(buildClass(card, OPTIONS).kind).toBe(kind);
  });
});

/** Members that the API reference marks as required, by class. */
const REQUIRED = {
  boardingPass: [
    'id',
    'issuerName',
    'reviewStatus',
    'localScheduledDepartureDateTime',
    'flightHeader',
    'origin',
    'destination',
  ],
  eventTicket: ['id', 'issuerName', 'reviewStatus', 'eventName'],
  storeCard: ['id', 'issuerName', 'reviewStatus', 'programName', 'programLogo'],
  coupon: ['id', 'issuerName', 'reviewStatus', 'title', 'provider', 'redemptionChannel'],
  generic: ['id'],
} satisfies Record<SampleStyle, string[]>;

describe.each(Object.entries(REQUIRED) as [SampleStyle, string[]][])('%s', (style, members) => {
  const resource = sent(sampleCard(style, { images: IMAGES }));

  test('has what Google requires', () => {
    for (const member of members) expect(resource[member], member).toBeTruthy();
    if (members.includes('reviewStatus')) expect(resource.reviewStatus).toBe('UNDER_REVIEW');
  });

  test('has an identifier of the issuer with allowed characters only', () => {
    expect(resource.id).toMatch(new RegExp(`^${ISSUER_ID}\\.[A-Za-z0-9._-]+$`));
  });

  test('requests callbacks, only over https', () => {
    expect(resource.callbackOptions).toEqual({ url: `${BASE_URL}/wallet/google/callback` });
    const local = sent(sampleCard(style, { images: IMAGES }), { ...OPTIONS, baseUrl: 'http://localhost:8787' });
    expect(JSON.stringify(local)).not.toContain('localhost');
  });
});

test('a generic class has no members outside its type', () => {
  expect(Object.keys(sent(sampleCard('generic'))).sort()).toEqual([
    'callbackOptions',
    'classTemplateInfo',
    'id',
    'multipleDevicesAndHoldersAllowedStatus',
  ]);
});

test('a transit class has what Google requires', () => {
  expect(sent(train())).toMatchObject({
    issuerName: 'Example Air',
    reviewStatus: 'UNDER_REVIEW',
    transitType: 'RAIL',
    logo: { sourceUri: { uri: `${BASE_URL}/images/${'b'.repeat(64)}` } },
  });
  expect(sent(train({ transitType: 'PKTransitTypeBoat' })).transitType).toBe('FERRY');
  expect(sent(train({ transitType: 'PKTransitTypeBus' })).transitType).toBe('BUS');
  expect(sent(train({ transitType: 'PKTransitTypeGeneric' })).transitType).toBe('OTHER');
});

test('the icon stands in for a missing logo', () => {
  const { programLogo } = sent(sampleCard('storeCard', { images: { icon: IMAGES.icon } }));
  expect(programLogo.sourceUri.uri).toBe(`${BASE_URL}/images/${'a'.repeat(64)}`);
});

describe('flight', () => {
  const card = sampleCard('boardingPass');

  test('has the flight, with local times without an offset', () => {
    expect(sent(card)).toMatchObject({
      flightHeader: { carrier: { carrierIataCode: 'LH' }, flightNumber: '401' },
      origin: { airportIataCode: 'BER', terminal: '1', gate: 'B12' },
      destination: { airportIataCode: 'JFK', terminal: '4' },
      localScheduledDepartureDateTime: '2026-12-24T10:00:00',
      localBoardingDateTime: '2026-12-24T09:20:00',
      localEstimatedOrActualDepartureDateTime: '2026-12-24T10:15:00',
      localScheduledArrivalDateTime: '2026-12-24T13:05:00',
    });
    expect(sent(card)).not.toHaveProperty('localEstimatedOrActualArrivalDateTime');
    expect(sent(card)).not.toHaveProperty('classTemplateInfo');
  });

  test('is the same for a flight, whatever the passenger and gate', () => {
    const other = { ...card.flight!, passengerName: 'Max Beispiel', originAirportGate: 'C1', seatNumber: '1A' };
    expect(sent({ ...card, id: 'other-pass', flight: other }).id).toBe(sent(card).id);
  });

  test.each([
    { carrierCode: 'AB' },
    { flightNumber: 402 },
    { localScheduledDepartureTime: '2026-12-25T10:00' },
    { originAirportCode: 'FRA' },
  ])('is a different one with %o', (change) => {
    expect(sent({ ...card, flight: { ...card.flight!, ...change } }).id).not.toBe(sent(card).id);
  });

  test('is not shared between templates or accounts', () => {
    expect(sent({ ...card, templateId: 'other' }).id).not.toBe(sent(card).id);
    expect(sent({ ...card, accountId: 'other' }).id).not.toBe(sent(card).id);
  });
});

describe('identity by content', () => {
  const card = sampleCard('storeCard', { images: IMAGES });

  test('passes that look alike share a class', () => {
    const other = sampleCard('storeCard', {
      images: IMAGES,
      id: 'other',
      passVersion: 9,
      modifiedAt: 1,
      storedValue: 3,
      barcode: { format: 'qr', value: 'other', alternativeText: '' },
    });
    expect(buildClass(other, OPTIONS)).toEqual(buildClass(card, OPTIONS));
  });

  test('a pass with its own logo or color gets its own class and changes no other', () => {
    const ids = [
      card,
      { ...card, colors: { backgroundColor: '#000000' } },
      { ...card, images: { logo: IMAGES.icon } },
      { ...card, accountId: 'other' },
      { ...card, templateId: 'other' },
    ].map((variant) => sent(variant).id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('texts', () => {
  test('have their translations', () => {
    expect(sent(sampleCard('eventTicket')).eventName).toEqual({
      defaultValue: { language: 'en', value: "New Year's Concert" },
      translatedValues: [{ language: 'de', value: 'Neujahrskonzert – Österreich' }],
    });
    expect(sent(sampleCard('coupon'))).toMatchObject({
      title: '20 % off one book',
      shortTitle: '20 % off',
      localizedShortTitle: {
        defaultValue: { language: 'en', value: '20 % off' },
        translatedValues: [{ language: 'de', value: '20 % Rabatt' }],
      },
    });
  });

  test('have no translations if there are none', () => {
    const resource = sent(sampleCard('coupon', { translations: {} }));
    expect(resource).not.toHaveProperty('localizedTitle');
    expect(resource).not.toHaveProperty('localizedShortTitle');
  });
});

test('an event starts when the pass becomes relevant, in the zone of the account', () => {
  expect(sent(sampleCard('eventTicket')).dateTime).toEqual({ start: '2027-01-01T19:30:00+01:00' });
});

test('a pass that must not be shared is for one user', () => {
  const status = (sharingProhibited: boolean) =>
    sent(sampleCard('generic', { sharingProhibited })).multipleDevicesAndHoldersAllowedStatus;
  expect([status(true), status(false)]).toEqual(['ONE_USER_ALL_DEVICES', 'MULTIPLE_HOLDERS']);
});

describe('layout', () => {
  const rowsOf = (card: Card): string[][] =>
    (sent(card).classTemplateInfo?.cardTemplateOverride.cardRowTemplateInfos ?? []).map((row: object) => {
      const [items] = Object.values(row) as Record<string, Json>[];
      return Object.values(items!).map((item) => item.firstValue.fields[0].fieldPath);
    });
  const path = (key: string) => `object.textModulesData['${key}']`;
  const many = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => sampleField(`${prefix}${i}`, prefix, i));

  test('gives each list of fields a row', () => {
    expect(rowsOf(sampleCard('eventTicket'))).toEqual([
      [path('doors')],
      [path('venue'), path('date')],
      [path('row'), path('seat'), path('price')],
    ]);
  });

  test('names the rows by their number of items', () => {
    const rows = sent(sampleCard('eventTicket')).classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos;
    expect(rows.map((row: object) => Object.keys(row))).toEqual([['oneItem'], ['twoItems'], ['threeItems']]);
    expect(Object.keys(rows[0].oneItem)).toEqual(['item']);
    expect(Object.keys(rows[1].twoItems)).toEqual(['startItem', 'endItem']);
    expect(Object.keys(rows[2].threeItems)).toEqual(['startItem', 'middleItem', 'endItem']);
  });

  test('shows the balance of a loyalty card', () => {
    expect(rowsOf(sampleCard('storeCard')).flat()).toContain('object.loyaltyPoints.balance');
  });

  test('never exceeds three rows of three', () => {
    const fields = sampleFields({
      headerFields: many('h', 3),
      secondaryFields: many('s', 4),
      auxiliaryFields: many('a', 5),
    });
    const rows = rowsOf(sampleCard('generic', { fields }));
    expect(rows.map((row) => row.length)).toEqual([3, 3, 3]);
    expect(rows[1]).toEqual([path('s0'), path('s1'), path('s2')]);
  });

  test('is omitted if there is nothing to lay out', () => {
    expect(sent(sampleCard('generic', { fields: sampleFields({}) }))).not.toHaveProperty('classTemplateInfo');
  });
});
