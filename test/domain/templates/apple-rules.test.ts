import { describe, expect, test } from 'vitest';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { appleFindings } from '../../../src/domain/templates/wallet-rules/apple-rules.ts';
import { lintDefinition } from '../../../src/domain/templates/wallet-rules/lint-definition.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';

/** A definition without findings for Apple Wallet. */
const PLAIN: Partial<TemplateInput> = { images: { icon: 'https://x.example/i.png', logo: 'https://x.example/l.png' } };
const IMAGE = 'https://x.example/i.png';
const images = (...roles: string[]) => ({ ...PLAIN.images, ...Object.fromEntries(roles.map((role) => [role, IMAGE])) });
const fields = (count: number, more: object = {}) => Array.from({ length: count }, () => ({ value: 'x', ...more }));
const NFC = {
  enabled: true,
  requiresAuthentication: true,
  encryptionPublicKey: `MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA${'A'.repeat(44)}=`,
};
const POSTER: Partial<TemplateInput> = {
  type: 'eventTicket',
  preferredStyleScheme: 'posterEventTicket',
  nfc: NFC,
  barcode: { format: 'none' },
  images: images('artwork'),
};
const VENUE = {
  eventName: 'a',
  venueName: 'b',
  venueRegionName: 'c',
  venueRoom: 'd',
  eventStartDate: '{x}',
  seats: [{}],
};
const upcoming = (event: object): Partial<TemplateInput> => ({
  ...POSTER,
  apple: { upcomingPassInformation: [{ identifier: 'a', name: 'A', ...event }] } as object,
});
const keyed = (key: string) => ({ backFields: [{ key, value: 'x' }] });
const AIR: Partial<TemplateInput> = { type: 'boardingPass', transitType: 'PKTransitTypeAir' };

/** Returns `severity path` of each finding. */
function found(template: Partial<TemplateInput>): string[] {
  const definition = TemplateDefinition.parse(sampleTemplate({ ...PLAIN, ...template }));
  return appleFindings(definition).map(({ severity, path }) => `${severity} ${path}`);
}

/** A definition that breaks a rule, with the finding, and a similar one that doesn't. */
const RULES: [rule: string, finding: string, bad: Partial<TemplateInput>, good: Partial<TemplateInput>][] = [
  [
    'header fields',
    'warning fields.headerFields.3',
    { fields: { headerFields: fields(4) } },
    { fields: { headerFields: fields(3) } },
  ],
  [
    'primary fields',
    'warning fields.primaryFields.1',
    { fields: { primaryFields: fields(2) } },
    { ...AIR, fields: { primaryFields: fields(2) } },
  ],
  [
    'secondary fields',
    'warning fields.secondaryFields.4',
    { type: 'eventTicket', fields: { secondaryFields: fields(5) } },
    { fields: { secondaryFields: fields(4) } },
  ],
  [
    'auxiliary fields',
    'warning fields.auxiliaryFields.5',
    { ...AIR, fields: { auxiliaryFields: fields(6) } },
    { ...AIR, fields: { auxiliaryFields: fields(5) } },
  ],
  [
    'a second row',
    'warning fields.auxiliaryFields.8',
    { type: 'eventTicket', fields: { auxiliaryFields: [...fields(4), ...fields(5, { row: 1 })] } },
    { type: 'eventTicket', fields: { auxiliaryFields: [...fields(4), ...fields(4, { row: 1 })] } },
  ],
  [
    'a shared line',
    'warning fields.auxiliaryFields.1',
    { type: 'coupon', fields: { secondaryFields: fields(3), auxiliaryFields: fields(2) } },
    { type: 'coupon', fields: { secondaryFields: fields(3), auxiliaryFields: fields(1) } },
  ],
  [
    'a shared line of secondary fields',
    'warning fields.secondaryFields.4',
    { type: 'storeCard', fields: { secondaryFields: fields(5) } },
    { type: 'storeCard', fields: { secondaryFields: fields(4) } },
  ],
  [
    'a line beside a square code',
    'warning fields.auxiliaryFields.0',
    { fields: { secondaryFields: fields(4), auxiliaryFields: fields(1) } },
    { barcode: { format: 'pdf417' }, fields: { secondaryFields: fields(4), auxiliaryFields: fields(1) } },
  ],
  [
    'alignment',
    'warning fields.primaryFields.0.alignment',
    { fields: { primaryFields: fields(1, { alignment: 'PKTextAlignmentRight' }) } },
    { fields: { secondaryFields: fields(1, { alignment: 'PKTextAlignmentRight' }) } },
  ],
  [
    'rows',
    'warning fields.secondaryFields.0.row',
    { fields: { secondaryFields: fields(1, { row: 1 }) } },
    { type: 'eventTicket', fields: { auxiliaryFields: fields(1, { row: 1 }) } },
  ],
  [
    'a number style',
    'warning fields.backFields.0.numberStyle',
    { fields: { backFields: fields(1, { numberStyle: 'PKNumberStyleDecimal' }) } },
    { fields: { backFields: fields(1, { type: 'number', numberStyle: 'PKNumberStyleDecimal' }) } },
  ],
  [
    'a currency',
    'warning fields.backFields.0.currencyCode',
    { fields: { backFields: fields(1, { currencyCode: 'EUR' }) } },
    { fields: { backFields: fields(1, { type: 'currency', currencyCode: 'EUR' }) } },
  ],
  [
    'a date style',
    'warning fields.backFields.0.dateStyle',
    { fields: { backFields: fields(1, { dateStyle: 'PKDateStyleLong' }) } },
    { fields: { backFields: fields(1, { type: 'date', dateStyle: 'PKDateStyleLong' }) } },
  ],
  [
    'tags of a field',
    'warning fields.backFields.0.semantics.balance',
    { fields: { backFields: fields(1, { semantics: { balance: { amount: '1', currencyCode: 'EUR' } } }) } },
    {
      type: 'storeCard',
      fields: { backFields: fields(1, { semantics: { balance: { amount: '1', currencyCode: 'EUR' } } }) },
    },
  ],
  ['Code 128', 'hint barcode.format', { barcode: { format: 'code128' } }, { barcode: { format: 'qr' } }],
  ['codes of iOS 27', 'hint barcode.format', { barcode: { format: 'ean13' } }, { barcode: { format: 'aztec' } }],
  [
    'a value that a code cannot hold',
    'warning barcode.value',
    { barcode: { format: 'ean13', value: '123' } },
    { barcode: { format: 'ean13', value: '4006381333931' } },
  ],
  ['the encoding of the message', 'hint barcode.value', { barcode: { value: '5 €' } }, { barcode: { value: '5 £' } }],
  ['NFC certificates', 'hint nfc.enabled', { nfc: NFC }, {}],
  [
    'a long NFC message',
    'warning barcode.value',
    { nfc: NFC, barcode: { value: 'x'.repeat(65) } },
    { nfc: NFC, barcode: { value: 'x'.repeat(64) } },
  ],
  ['an icon', 'warning images.icon', { images: { logo: IMAGE } }, {}],
  ['a logo', 'hint images.logo', { images: { icon: IMAGE } }, { images: { icon: IMAGE }, logoText: 'x' }],
  [
    'strip and background',
    'warning images.strip',
    { type: 'eventTicket', images: images('strip', 'background') },
    { type: 'eventTicket', images: images('strip') },
  ],
  [
    'images of another style',
    'hint images.strip',
    { images: images('strip') },
    { type: 'coupon', images: images('strip') },
  ],
  ['artwork without a poster', 'hint images.artwork', { images: images('artwork') }, POSTER],
  [
    'a ticket for a background',
    'hint images.background',
    { type: 'eventTicketBackground' },
    { type: 'eventTicketBackground', images: images('background') },
  ],
  [
    'contrast',
    'warning colors.foregroundColor',
    { colors: { backgroundColor: '#ffffff', foregroundColor: '#ffff00' } },
    { colors: { backgroundColor: '#ffffff', foregroundColor: '#000000' } },
  ],
  [
    'weak contrast',
    'hint colors.labelColor',
    { colors: { backgroundColor: '#ffffff', labelColor: '#888888' } },
    { colors: { backgroundColor: '#ffffff', labelColor: '#666666' } },
  ],
  [
    'contrast of voided passes',
    'warning colors.foregroundColor',
    { colors: { voidedBackgroundColor: '#ffffff', foregroundColor: '#fefefe' } },
    { colors: { foregroundColor: '#fefefe' } },
  ],
  [
    'a footer color',
    'hint colors.footerBackgroundColor',
    { colors: { footerBackgroundColor: '#fff' } },
    { ...POSTER, colors: { footerBackgroundColor: '#fff' } },
  ],
  [
    'locations',
    'warning locations.10',
    { locations: Array(11).fill({ latitude: 1, longitude: 2 }) },
    { locations: Array(10).fill({ latitude: 1, longitude: 2 }) },
  ],
  [
    'distances',
    'hint locations',
    {
      locations: [
        { latitude: 1, longitude: 2, maxDistance: 5 },
        { latitude: 1, longitude: 2 },
      ],
    },
    { locations: [{ latitude: 1, longitude: 2, maxDistance: 5 }] },
  ],
  [
    'beacons',
    'warning apple.beacons.10',
    { apple: { beacons: Array(11).fill({ proximityUUID: crypto.randomUUID() }) } },
    { apple: { beacons: Array(10).fill({ proximityUUID: crypto.randomUUID() }) } },
  ],
  [
    'a distance without locations',
    'hint apple.maxDistance',
    { apple: { maxDistance: 5 } },
    { apple: { maxDistance: 5 }, locations: [{ latitude: 1, longitude: 2 }] },
  ],
  [
    'tags of another style',
    'warning apple.semantics.eventName',
    { apple: { semantics: { eventName: 'x' } } },
    { type: 'eventTicket', apple: { semantics: { eventName: 'x' } } },
  ],
  [
    'tags of trains',
    'warning apple.semantics.carNumber',
    { ...AIR, apple: { semantics: { carNumber: '1' } } },
    { type: 'boardingPass', transitType: 'PKTransitTypeTrain', apple: { semantics: { carNumber: '1' } } },
  ],
  [
    'an end before its start',
    'warning apple.semantics.eventEndDate',
    {
      type: 'eventTicket',
      apple: { semantics: { eventStartDate: '2027-01-02 10:00', eventEndDate: '2027-01-01 10:00' } },
    },
    {
      type: 'eventTicket',
      apple: { semantics: { eventStartDate: '2027-01-02 10:00', eventEndDate: '2027-01-02 11:00' } },
    },
  ],
  [
    'verified documents',
    'hint apple.semantics.internationalDocumentsVerifiedDeclarationName',
    { ...AIR, apple: { semantics: { internationalDocumentsAreVerified: true } } },
    {
      ...AIR,
      apple: {
        semantics: {
          internationalDocumentsAreVerified: true,
          internationalDocumentsVerifiedDeclarationName: 'DOCS OK',
        },
      },
    },
  ],
  [
    'security programs',
    'hint apple.semantics.passengerEligibleSecurityPrograms',
    { ...AIR, apple: { semantics: { passengerEligibleSecurityPrograms: ['PKTransitSecurityProgramCLEAR'] } } },
    {
      ...AIR,
      apple: {
        semantics: {
          passengerEligibleSecurityPrograms: ['PKTransitSecurityProgramCLEAR'],
          departureLocationSecurityPrograms: ['PKTransitSecurityProgramCLEAR'],
        },
      },
    },
  ],
  [
    'tags of a poster',
    'warning apple.semantics.venueRoom',
    { ...POSTER, apple: { semantics: { ...VENUE, venueRoom: null } } },
    { ...POSTER, apple: { semantics: VENUE } },
  ],
  [
    'tags of a poster in fields',
    'warning apple.semantics.venueRoom',
    POSTER,
    { ...POSTER, fields: { backFields: fields(1, { key: 'venueRoom' }) } },
  ],
  [
    'teams of a poster',
    'warning apple.semantics.homeTeamAbbreviation',
    { ...POSTER, apple: { semantics: { ...VENUE, eventType: 'PKEventTypeSports' } } },
    { ...POSTER, apple: { semantics: VENUE } },
  ],
  ['a poster without NFC', 'warning preferredStyleScheme', { ...POSTER, nfc: { enabled: false } }, POSTER],
  [
    'a poster without authentication',
    'warning nfc.requiresAuthentication',
    { ...POSTER, nfc: { ...NFC, requiresAuthentication: false } },
    POSTER,
  ],
  ['a poster with a code', 'hint barcode.format', { ...POSTER, barcode: { format: 'qr' } }, POSTER],
  [
    'a poster without artwork',
    'warning images.artwork',
    { ...POSTER, images: images() },
    { ...POSTER, images: images('background') },
  ],
  ['a poster behind a strip', 'warning images.strip', { ...POSTER, images: images('strip', 'background') }, POSTER],
  ['the start of an event', 'hint apple.semantics.eventStartDate', POSTER, { ...POSTER, apple: { semantics: VENUE } }],
  ['seats of a poster', 'hint apple.semantics.seats', POSTER, { ...POSTER, apple: { semantics: VENUE } }],
  [
    'artists',
    'hint apple.semantics.artistIDs',
    { ...POSTER, apple: { semantics: { eventType: 'PKEventTypeLivePerformance' } } },
    { ...POSTER, apple: { semantics: { eventType: 'PKEventTypeLivePerformance', artistIDs: ['1'] } } },
  ],
  ['a logo text on a poster', 'hint logoText', { ...POSTER, logoText: 'x' }, { logoText: 'x' }],
  [
    'automatic colors',
    'hint apple.useAutomaticColors',
    { ...POSTER, apple: { useAutomaticColors: true } },
    { ...POSTER, apple: { useAutomaticColors: true }, colors: {} },
  ],
  [
    'a semantic boarding pass',
    'hint preferredStyleScheme',
    { ...AIR, preferredStyleScheme: 'semanticBoardingPass' },
    AIR,
  ],
  [
    'seats of a semantic boarding pass',
    'hint apple.semantics.seats',
    { ...AIR, preferredStyleScheme: 'semanticBoardingPass' },
    {
      ...AIR,
      preferredStyleScheme: 'semanticBoardingPass',
      apple: { semantics: { seats: [{ seatNumber: '12A' }] } },
    },
  ],
  [
    'fields of a poster without an effect',
    'warning apple.posterGeneric.primaryFields.0.alignment',
    { apple: { posterGeneric: { primaryFields: fields(1, { alignment: 'PKTextAlignmentRight' }) } } },
    { apple: { posterGeneric: { footerFields: fields(1, { alignment: 'PKTextAlignmentRight' }) } } },
  ],
  [
    'tags in fields of a poster',
    'warning apple.posterGeneric.footerFields.0.semantics.eventName',
    { apple: { posterGeneric: { footerFields: fields(1, { semantics: { eventName: 'x' } }) } } },
    { type: 'eventTicket', apple: { posterGeneric: { footerFields: fields(1, { semantics: { eventName: 'x' } }) } } },
  ],
  [
    'additional fields without an effect',
    'warning apple.additionalInfoFields.0.row',
    { ...POSTER, apple: { additionalInfoFields: fields(1, { row: 1 }) } },
    { ...POSTER, apple: { additionalInfoFields: fields(1) } },
  ],
  [
    'fields of an upcoming event',
    'warning apple.upcomingPassInformation.0.backFields.0.dateStyle',
    upcoming({ backFields: fields(1, { dateStyle: 'PKDateStyleLong' }) }),
    upcoming({ backFields: fields(1, { type: 'date', dateStyle: 'PKDateStyleLong' }) }),
  ],
  [
    'tags of an upcoming event',
    'warning apple.upcomingPassInformation.0.semantics.carNumber',
    upcoming({ semantics: { carNumber: '1' } }),
    upcoming({ semantics: { eventName: 'x' } }),
  ],
  [
    'keys of additional fields',
    'warning apple.additionalInfoFields.0.key',
    { ...POSTER, fields: keyed('gate'), apple: { additionalInfoFields: fields(1, { key: 'gate' }) } },
    { ...POSTER, fields: keyed('gate'), apple: { additionalInfoFields: fields(1, { key: 'door' }) } },
  ],
  [
    'keys of a poster and of the fields that it takes over',
    'warning apple.posterGeneric.footerFields.0.key',
    { fields: keyed('gate'), apple: { posterGeneric: { footerFields: fields(1, { key: 'gate' }) } } },
    { fields: keyed('gate'), apple: { posterGeneric: { backFields: fields(1, { key: 'gate' }) } } },
  ],
  [
    'keys of an upcoming event',
    'warning apple.upcomingPassInformation.0.backFields.1.key',
    upcoming({ backFields: fields(2, { key: 'gate' }) }),
    upcoming({ backFields: fields(1, { key: 'gate' }), additionalInfoFields: fields(1, { key: 'door' }) }),
  ],
  [
    'a poster of a boarding pass',
    'warning apple.posterGeneric',
    { ...AIR, apple: { posterGeneric: {} } },
    { apple: { posterGeneric: {} } },
  ],
  [
    'a generic poster without artwork',
    'warning images.artwork',
    { apple: { posterGeneric: {} } },
    { apple: { posterGeneric: {} }, images: images('artwork') },
  ],
  ['two posters', 'warning apple.posterGeneric', { ...POSTER, apple: { posterGeneric: {} } }, POSTER],
  [
    'a logo of a poster',
    'hint images.primaryLogo',
    { apple: { posterGeneric: {} }, images: { icon: IMAGE }, logoText: 'x' },
    { apple: { posterGeneric: {} } },
  ],
  [
    'the end of a poster',
    'hint expiration',
    { apple: { posterGeneric: {} } },
    { apple: { posterGeneric: {} }, expiration: { validityInDays: 1 } },
  ],
  [
    'fields of a poster',
    'warning apple.posterGeneric.footerFields.2',
    { apple: { posterGeneric: { footerFields: fields(3) } } },
    { apple: { posterGeneric: { footerFields: fields(2) } } },
  ],
  [
    'links of the event guide',
    'warning apple.bagPolicyURL',
    { apple: { bagPolicyURL: 'https://x.example' } },
    { ...POSTER, apple: { bagPolicyURL: 'https://x.example' } },
  ],
  [
    'meals',
    'warning apple.orderFoodURL',
    { apple: { orderFoodURL: 'https://x.example' } },
    { ...AIR, apple: { orderFoodURL: 'https://x.example' } },
  ],
  [
    'links of a flight',
    'warning apple.changeSeatURL',
    { apple: { changeSeatURL: 'https://x.example' } },
    { ...AIR, apple: { changeSeatURL: 'https://x.example' } },
  ],
  [
    'a shine',
    'warning apple.suppressStripShine',
    { apple: { suppressStripShine: true } },
    { type: 'coupon', apple: { suppressStripShine: true } },
  ],
  [
    'upcoming events',
    'warning apple.upcomingPassInformation',
    { apple: { upcomingPassInformation: [] } },
    { ...POSTER, apple: { upcomingPassInformation: [] } },
  ],
  [
    'additional fields',
    'warning apple.additionalInfoFields',
    { apple: { additionalInfoFields: [] } },
    { ...POSTER, apple: { additionalInfoFields: [] } },
  ],
  [
    'the address of an app',
    'warning apple.appLaunchURL',
    { apple: { appLaunchURL: 'myapp://x' } },
    { apple: { appLaunchURL: 'myapp://x', associatedStoreIdentifiers: [1] } },
  ],
  [
    'featured actions',
    'hint apple.featuredActions',
    { ...POSTER, apple: { featuredActions: [] } },
    { apple: { featuredActions: [] } },
  ],
  [
    'the address of an action',
    'warning apple.featuredActions.0.url',
    { apple: { featuredActions: [{ identifier: 'a', type: 'shop' }] } },
    { apple: { featuredActions: [{ identifier: 'a', type: 'place', placeIdentifier: 'I1' }] } },
  ],
  [
    'groups',
    'warning groupingIdentifierEnabled',
    { groupingIdentifierEnabled: true },
    { ...AIR, groupingIdentifierEnabled: true },
  ],
  ['sharing', 'hint sharingProhibited', { sharingProhibited: true }, {}],
];

describe('Apple’s rule about', () => {
  test.each(RULES)('%s: %s', (_, finding, bad, good) => {
    expect(found(bad)).toContain(finding);
    expect(found(good)).not.toContain(finding);
  });
});

test('a plain card has no findings, and one that is not for Apple Wallet none at all', () => {
  expect(found({})).toEqual([]);
  expect(found({ sharingProhibited: true, walletApps: { apple: false, google: true } })).toEqual([]);
});

test('each finding names its document', () => {
  for (const [, , bad] of RULES)
    for (const { source, message, wallet } of appleFindings(
      TemplateDefinition.parse(sampleTemplate({ ...PLAIN, ...bad })),
    )) {
      expect(source).toMatch(/^https:\/\//);
      expect(message).not.toMatch(/\.$/);
      expect(wallet).toBe('apple');
    }
});

describe('lintDefinition', () => {
  test('reports everything that the schema rejects as errors', () => {
    const broken = {
      ...sampleTemplate(),
      fields: { headerFields: Array(25).fill({ type: 'sound' }) },
      name: undefined,
    };
    const findings = lintDefinition(broken);
    expect(findings).toHaveLength(26);
    expect(findings[0]).toMatchObject({ path: 'name', wallet: 'both', severity: 'error', message: 'is required' });
    expect(findings[1]!.path).toBe('fields.headerFields.0.type');
    expect(lintDefinition('text')).toMatchObject([{ path: '', severity: 'error' }]);
  });

  test('names the wallet of a member, and the page about it', () => {
    const findings = lintDefinition({
      ...sampleTemplate({ type: 'generic' }),
      preferredStyleScheme: 'poster',
      nfc: { enabled: true },
      fields: { backFields: [{ value: 'x', semantics: { nothing: 1 } }] },
      apple: { maxDistance: -1, relevantDates: [{}], semantics: { nothing: 1 }, posterGeneric: 1, constructor: 1 },
      google: { notifyPreference: 'ALWAYS', seatInfo: 'A 12' },
      walletApps: { apple: 'yes' },
    });
    const page = (name: string) => expect.stringMatching(new RegExp(`^https://developer.apple.com/.*/${name}$`));
    const expected = {
      preferredStyleScheme: ['apple', page('pass')],
      'nfc.encryptionPublicKey': ['apple', page('nfc-data.dictionary')],
      'fields.backFields.0.semantics.nothing': ['apple', page('semantictags')],
      'apple.maxDistance': ['apple', page('pass')],
      'apple.semantics.nothing': ['apple', page('semantictags')],
      'apple.posterGeneric': ['apple', page('creating-a-poster-generic-pass')],
      'google.notifyPreference': ['google', expect.stringMatching(/^https:\/\/developers\.google\.com\/wallet\//)],
      'google.seatInfo': ['google', expect.any(String)],
      'walletApps.apple': ['both', expect.stringMatching(/^OpenAPI document/)],
    };
    const origins = findings.map(({ path, wallet, source }) => [path, [wallet, source]]);
    expect(Object.fromEntries(origins)).toMatchObject(expected);
  });

  test('warns of an icon that is too small for sharp screens, if its size is known', () => {
    const definition = sampleTemplate({ ...PLAIN });
    const found = (width: number, height: number) =>
      lintDefinition(definition, new Map([[IMAGE, { width, height }]]))
        .filter(({ path }) => path === 'images.icon')
        .map(({ severity, message }) => `${severity}: ${message}`);
    expect(found(113, 60)).toEqual(['warning: has 113 x 60 pixels, so it is blurred on sharp screens; use 114 x 114']);
    expect(found(660, 660)).toEqual([]);
    expect(lintDefinition(definition).filter(({ path }) => path === 'images.icon')).toEqual([]);
  });

  test('rejects a change message without %@, and a currency together with a number style', () => {
    const field = {
      type: 'currency',
      value: '1',
      changeMessage: 'new',
      currencyCode: 'EUR',
      numberStyle: 'PKNumberStyleDecimal',
    };
    const findings = lintDefinition({
      ...sampleTemplate(),
      fields: { backFields: [field, { ...field, changeMessage: '%@' }] },
    });
    expect(findings.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['fields.backFields.0.changeMessage', 'fields.backFields.1.numberStyle']),
    );
  });

  test('puts warnings before hints', () => {
    const findings = lintDefinition(sampleTemplate({ sharingProhibited: true, groupingIdentifierEnabled: true }));
    const severities = findings.map(({ severity }) => severity);
    expect(severities).toEqual([...severities].sort((a, b) => (a === b ? 0 : a === 'warning' ? -1 : 1)));
    expect(new Set(severities)).toEqual(new Set(['warning', 'hint']));
  });
});
