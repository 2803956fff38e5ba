import { describe, expect, test } from 'vitest';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { APPLE_MEMBER_NAMES, APPLE_MEMBERS } from '../../../src/domain/templates/apple/members.ts';
import { SEMANTIC_TAGS } from '../../../src/domain/templates/apple/semantic-tags.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import { ACTION, BEACON, BESIDE, boarding, NFC, other, passJson, poster, VENUE, valuesOf } from './feature-samples.ts';

describe.each(APPLE_MEMBER_NAMES)('apple.%s', (name) => {
  const [given, written, refused] = valuesOf(name);
  const { style } = APPLE_MEMBERS[name];
  const apple = { ...BESIDE[name], [name]: given };

  test('is written, with its placeholders filled', async () => {
    const template = style === 'boarding' ? boarding(apple) : style === 'strip' ? other(apple) : poster(apple);
    expect((await passJson(template, {}, ['artwork']))[name]).toEqual(written);
  });

  test('is omitted where Apple says that it has no effect', async () => {
    const template = style === 'strip' ? boarding(apple) : other(apple);
    const isWritten = name in (await passJson(template));
    expect(isWritten).toBe(style === 'any' || (style === 'strip' && template.type === 'storeCard'));
  });

  test('is rejected where it breaks a rule, with its path', () => {
    const result = TemplateDefinition.safeParse(sampleTemplate(poster({ [name]: refused })));
    expect(result.error?.issues[0]?.path.slice(0, 2)).toEqual(['apple', name]);
  });
});

test('a template without features has none of their keys', async () => {
  const pass = await passJson({});
  expect(Object.keys(pass).filter((key) => key in APPLE_MEMBERS || key === 'semantics')).toEqual([]);
});

test('an empty value omits its member', async () => {
  const apple = {
    eventLogoText: '{empty}',
    featuredActions: [{ ...ACTION, identifier: '{empty}' }],
    maxDistance: '{empty}',
  };
  const pass = await passJson(poster(apple), {}, ['artwork']);
  for (const name of Object.keys(apple)) expect(pass).not.toHaveProperty(name);
});

test('a featured action without an address or a place on this pass is left out', async () => {
  const place = { identifier: 'there', type: 'place', placeIdentifier: '{empty}' };
  expect((await passJson(other({ featuredActions: [place, ACTION] }))).featuredActions).toEqual([ACTION]);
});

test('an app’s address needs the app’s identifier', async () => {
  expect(await passJson(other({ appLaunchURL: 'myapp://card' }))).not.toHaveProperty('appLaunchURL');
});

describe('rejected definitions', () => {
  test.each<[string, object, string]>([
    [
      'a third featured action',
      { featuredActions: ['a', 'b', 'c'].map((identifier) => ({ ...ACTION, identifier })) },
      'featuredActions',
    ],
    ['a repeated action', { featuredActions: [ACTION, ACTION] }, 'featuredActions.1.identifier'],
    [
      'an interval that ends first',
      { relevantDates: [{ startDate: '2027-01-02 10:00', endDate: '2027-01-02 09:00' }] },
      'relevantDates.0.endDate',
    ],
    [
      'an interval beyond a day',
      { relevantDates: [{ startDate: '2027-01-02 10:00', endDate: '2027-01-03 10:01' }] },
      'relevantDates.0.endDate',
    ],
    [
      'a moment that is an interval, too',
      { relevantDates: [{ date: '2027-01-02 10:00', endDate: '2027-01-02 11:00' }] },
      'relevantDates.0',
    ],
    ['a tag that Apple does not have', { semantics: { evenName: 'x' } }, 'semantics.evenName'],
    ['a tag of another kind', { semantics: { flightNumber: 'OS1' } }, 'semantics.flightNumber'],
    ['a seat that is no object', { semantics: { seats: ['A1'] } }, 'semantics.seats.0'],
    ['a scheme of another type', { preferredStyleSchemes: ['semanticBoardingPass'] }, 'preferredStyleSchemes.0'],
    [
      'an upcoming event without a name',
      { upcomingPassInformation: [{ identifier: 'a' }] },
      'upcomingPassInformation.0.name',
    ],
    [
      'an image over http',
      {
        upcomingPassInformation: [
          {
            identifier: 'a',
            name: 'b',
            images: { headerImage: { URLs: [{ URL: 'http://example.com/m.png', SHA256: 'a'.repeat(64) }] } },
          },
        ],
      },
      'upcomingPassInformation.0.images.headerImage.URLs.0.URL',
    ],
    [
      'a field that is none',
      { posterGeneric: { footerFields: [{ type: 'sound' }] } },
      'posterGeneric.footerFields.0.type',
    ],
  ])('%s', (_, apple, path) => {
    const result = TemplateDefinition.safeParse(sampleTemplate(poster(apple)));
    expect(result.error?.issues.map((issue) => issue.path.join('.'))).toEqual([`apple.${path}`]);
  });
});

describe('semantics', () => {
  test('have the pass’s values in Apple’s types', async () => {
    const semantics = {
      ...VENUE,
      eventType: 'PKEventTypeGeneric',
      eventStartDate: '{start}',
      duration: '5400',
      venueLocation: { latitude: '48.2', longitude: 16.4 },
      seats: [{ seatNumber: '{seat}', seatSectionColor: '#ff0000' }, { seatNumber: '{empty}' }],
      totalPrice: { amount: '{storedValue}', currencyCode: 'EUR' },
      performerNames: ['A', '{empty}'],
      silenceRequested: true,
      attendeeName: '{empty}',
      flightNumber: 12,
    };
    expect((await passJson(poster({ semantics }))).semantics).toEqual({
      ...VENUE,
      eventType: 'PKEventTypeGeneric',
      eventStartDate: '2027-08-21T20:00:00+02:00',
      duration: 5400,
      venueLocation: { latitude: 48.2, longitude: 16.4 },
      seats: [{ seatNumber: 'A 12', seatSectionColor: 'rgb(255, 0, 0)' }],
      totalPrice: { amount: '12.5', currencyCode: 'EUR' },
      performerNames: ['A'],
      silenceRequested: true,
    });
  });

  test('of one field are in the field', async () => {
    const fields = { backFields: [{ key: 'a', value: '{seat}', semantics: { seats: [{ seatNumber: '{seat}' }] } }] };
    const { eventTicket } = await passJson({ ...poster(), fields });
    expect(eventTicket.backFields[0]).toEqual({
      key: 'a',
      value: 'A 12',
      semantics: { seats: [{ seatNumber: 'A 12' }] },
    });
  });

  test('take precedence over the flight’s, and give a zone both of its names', async () => {
    const flight = {
      originAirportCode: 'VIE',
      destinationAirportCode: 'HAM',
      localScheduledDepartureTime: '2027-03-01T10:15',
      localBoardingDateTime: '2027-03-01T09:45',
      passengerName: 'Ada Lovelace',
      carrierCode: 'OS',
      confirmationCode: 'X7Y8Z9',
      flightNumber: 171,
    } as Pass['flight'];
    const semantics = { transitProvider: 'Night Air', departureLocationTimeZone: 'Europe/Paris' };
    const pass = await passJson(boarding({ semantics }), { flight });
    expect(pass.semantics).toMatchObject({
      airlineCode: 'OS',
      transitProvider: 'Night Air',
      departureLocationTimeZone: 'Europe/Paris',
      departureAirportTimeZone: 'Europe/Paris',
      destinationAirportTimeZone: 'Europe/Berlin',
    });
  });

  test('cover every tag of Apple’s documentation', () => {
    expect(Object.keys(SEMANTIC_TAGS).length).toBeGreaterThanOrEqual(104);
    for (const tag of ['loungePlaceIDs', 'venueFanZoneOpenDate', 'passengerServiceSSRs', 'balance', 'carNumber'])
      expect(SEMANTIC_TAGS).toHaveProperty(tag);
  });
});

describe('a poster event ticket', () => {
  const schemes = async (apple: object, more: Partial<TemplateInput> = {}, roles = ['artwork']) =>
    (await passJson({ ...poster(apple), ...more }, {}, roles)).preferredStyleSchemes;
  const SPORTS = { ...VENUE, eventType: 'PKEventTypeSports' };
  const LIVE = { ...VENUE, eventType: 'PKEventTypeLivePerformance' };

  test.each<[string, object]>([
    ['any event', {}],
    ['sports', { semantics: { ...SPORTS, homeTeamAbbreviation: 'RAP', awayTeamAbbreviation: 'AUS' } }],
    ['a live performance', { semantics: { ...LIVE, performerNames: ['Ada'] } }],
  ])('of %s has the scheme with its tags', async (_, apple) => {
    expect(await schemes(apple)).toEqual(['posterEventTicket', 'eventTicket']);
  });

  test.each<[string, object, Partial<TemplateInput>?, string[]?]>([
    ['a tag', { semantics: { ...VENUE, venueRoom: '{empty}' } }],
    ['the teams', { semantics: SPORTS }],
    ['performers', { semantics: LIVE }],
    ['a poster', {}, {}, []],
    ['NFC, because a ticket with a code for entry is none', {}, { nfc: { enabled: false } }],
    ['authentication', {}, { nfc: { ...NFC, requiresAuthentication: false } }],
  ])('is a classic ticket without %s', async (_, apple, more, roles) => {
    expect(await schemes(apple, more, roles)).toBeUndefined();
  });

  test('has its additional fields and upcoming events', async () => {
    const apple = {
      additionalInfoFields: [{ label: 'Gate', value: '{seat}' }],
      upcomingPassInformation: [
        {
          identifier: 'm1',
          name: 'Match {seat}',
          dateInformation: { date: '2027-09-01 18:00', timeZone: 'Europe/Vienna' },
          semantics: { venueName: 'Stadium' },
          URLs: { bagPolicyURL: 'https://example.com/bags' },
          images: { venueMap: { URLs: [{ URL: 'https://example.com/m.png', SHA256: 'a'.repeat(64), size: 9 }] } },
          backFields: [{ key: 'b', label: 'B', value: 'x' }],
          isActive: true,
        },
        { identifier: 'm2', name: '{empty}' },
      ],
    };
    const pass = await passJson(poster(apple), {}, ['artwork']);
    expect(pass.eventTicket.additionalInfoFields).toEqual([{ key: 'additional-0', label: 'Gate', value: 'A 12' }]);
    expect(pass.upcomingPassInformation).toEqual([
      {
        identifier: 'm1',
        name: 'Match A 12',
        type: 'event',
        dateInformation: { date: '2027-09-01T18:00:00+02:00', timeZone: 'Europe/Vienna' },
        semantics: { venueName: 'Stadium' },
        URLs: { bagPolicyURL: 'https://example.com/bags' },
        images: { venueMap: { URLs: [{ URL: 'https://example.com/m.png', SHA256: 'a'.repeat(64), size: 9 }] } },
        backFields: [{ key: 'b', label: 'B', value: 'x' }],
        isActive: true,
      },
    ]);
    const classic = await passJson(poster(apple));
    expect(classic).not.toHaveProperty('upcomingPassInformation');
    expect(classic.eventTicket).not.toHaveProperty('additionalInfoFields');
  });
});

test('additional fields and fields of upcoming events have keys of their own', async () => {
  const field = { key: 'gate', value: '7' };
  const event = {
    identifier: 'a',
    name: 'A',
    additionalInfoFields: [field],
    backFields: [field, { ...field, value: '8' }],
  };
  const template = {
    ...poster({ additionalInfoFields: [field, field], upcomingPassInformation: [event] }),
    fields: { backFields: [field] },
  };
  const pass = await passJson(template, {}, ['artwork']);
  const keysOf = (list: { key: string }[]) => list.map(({ key }) => key);
  expect(keysOf(pass.eventTicket.additionalInfoFields)).toEqual(['_gate', '__gate']);
  const [upcoming] = pass.upcomingPassInformation;
  expect(keysOf([...upcoming.additionalInfoFields, ...upcoming.backFields])).toEqual(['gate', '_gate', '__gate']);
});

describe('posterGeneric', () => {
  const posterGeneric = { footerFields: [{ key: 'tier', value: '{seat}' }] };

  test('is added to the classic style, and inherits its missing members', async () => {
    const pass = await passJson(other({ posterGeneric, suppressHeaderDarkening: true }), {}, ['artwork']);
    expect(pass.storeCard.headerFields).toEqual(pass.posterGeneric.headerFields);
    expect(pass.posterGeneric.footerFields).toEqual([{ key: 'tier', value: 'A 12' }]);
    // A phone that shows the poster must see the push text change.
    expect(pass.posterGeneric.backFields.at(-1)).toMatchObject({ key: 'push-text', changeMessage: '%@' });
    expect(pass.posterGeneric).not.toHaveProperty('secondaryFields');
    expect(pass.suppressHeaderDarkening).toBe(true);
  });

  test('shares keys with the style, but has each key once, also those of links and of the push text', async () => {
    const template = {
      ...other({
        posterGeneric: {
          primaryFields: [{ key: 'tier', value: 'A' }],
          footerFields: [
            { key: 'tier', value: 'B' },
            { key: 'link-1', value: 'C' },
          ],
          additionalInfoFields: [{ key: 'push-text', value: 'D' }],
        },
      }),
      links: [{ label: 'Site', url: 'https://example.com' }],
    };
    const pass = await passJson(template, {}, ['artwork']);
    const keys = Object.values<{ key: string }[]>(pass.posterGeneric).flatMap((list) => list.map(({ key }) => key));
    expect(new Set(keys).size).toBe(keys.length);
    expect(pass.posterGeneric.primaryFields[0].key).toBe('tier');
    expect(pass.posterGeneric.footerFields.map(({ key }: { key: string }) => key)).toEqual(['_tier', 'link-1']);
  });

  test('is omitted for boarding passes, and without artwork', async () => {
    expect(await passJson(boarding({ posterGeneric }), {}, ['artwork'])).not.toHaveProperty('posterGeneric');
    expect(await passJson(other({ posterGeneric }))).not.toHaveProperty('posterGeneric');
  });
});

describe('relevance', () => {
  test('joins the date of the pass and those of the template', async () => {
    const relevantDates = [{ startDate: '2027-08-22 10:00', endDate: '2027-08-22 12:00' }];
    const pass = await passJson(other({ relevantDates }), { relevantAt: Date.UTC(2027, 0, 1) });
    expect(pass.relevantDate).toBe('2027-01-01T01:00:00+01:00');
    expect(pass.relevantDates).toHaveLength(2);
    expect((await passJson(other({ relevantDates }))).relevantDate).toBe('2027-08-22T10:00:00+02:00');
  });

  test.each<[string, Record<string, string>]>([
    ['an interval without an end', { startDate: '2027-08-22 10:00', endDate: '{empty}' }],
    ['an interval without a start', { startDate: '{empty}', endDate: '2027-08-22 10:00' }],
    ['an interval that ends first', { startDate: '2027-08-22 10:00', endDate: '{start}' }],
    ['an interval of more than a day', { startDate: '{start}', endDate: '2028-08-22 10:00' }],
    ['no date', { date: '{empty}' }],
  ])('leaves out %s on a pass', async (_, date) => {
    const kept = { startDate: '2027-10-30 10:00', endDate: '2027-10-31 10:00' };
    const { relevantDates } = await passJson(other({ relevantDates: [date, kept] }));
    expect(relevantDates).toEqual([{ startDate: '2027-10-30T10:00:00+02:00', endDate: '2027-10-31T10:00:00+01:00' }]);
  });

  test('has at most ten beacons, and one distance', async () => {
    const locations = [{ latitude: 1, longitude: 2, maxDistance: 900 }];
    const beacons = Array.from({ length: 12 }, (_, minor) => ({ ...BEACON, minor }));
    const pass = await passJson({ ...other({ beacons, maxDistance: 50 }), locations });
    expect(pass.beacons).toHaveLength(10);
    expect(pass.maxDistance).toBe(50);
  });

  test('has no locations after a use if the template says so', async () => {
    const locations = [{ latitude: 1, longitude: 2 }];
    const used = { lastUsageAt: 1 };
    const template = { ...other(), locations, stopLocationsAfterUse: true };
    expect((await passJson(template)).locations).toHaveLength(1);
    expect(await passJson(template, used)).not.toHaveProperty('locations');
    expect((await passJson({ ...other(), locations }, used)).locations).toHaveLength(1);
  });
});

describe('codes of iOS 27', () => {
  test.each([
    ['ean13', '4006381333931', 'PKBarcodeFormatEAN13'],
    ['code39', 'PASS-0815', 'PKBarcodeFormatCode39'],
    ['codabar', '0815', 'PKBarcodeFormatCodabar'],
    ['itf', '0815', 'PKBarcodeFormatI2of5'],
  ] as const)('%s has a QR code after it for older devices', async (format, barcodeValue, name) => {
    const pass = await passJson({ barcode: { format } }, { barcodeValue });
    expect(pass.barcodes.map((code: { format: string }) => code.format)).toEqual([name, 'PKBarcodeFormatQR']);
    expect(pass).not.toHaveProperty('barcode');
    const { barcodes, barcode } = await passJson({ barcode: { format } }, { barcodeValue: 'für ä' });
    expect(barcodes).toEqual([barcode]);
    expect(barcode).toMatchObject({ format: 'PKBarcodeFormatQR', message: 'für ä' });
  });
});
