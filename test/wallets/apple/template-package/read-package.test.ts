import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/errors.ts';
import { readPackage } from '../../../../src/wallets/apple/template-package/import-template.ts';
import { openPackage } from '../../../../src/wallets/apple/template-package/open-package.ts';
import { archiveOf, couponJson } from '../../../support/template-files.ts';

const VIENNA = { language: 'en', timezone: 'Europe/Vienna' };
const NOW = Date.UTC(2026, 10, 23);
type Files = Parameters<typeof archiveOf>[0];

const read = (files: Files, home = VIENNA, options = {}) =>
  readPackage(openPackage(archiveOf(files)), home, options, NOW);
const definitionOf = (pass: object, more: Files = {}) => read({ 'pass.json': couponJson(pass), ...more }).definition;
const warningsOf = (pass: object, more: Files = {}) => read({ 'pass.json': couponJson(pass), ...more }).warnings;
const refusalOf = (files: Files) => {
  try {
    read(files);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
  return undefined;
};
/** An issued pass. */
const issued = (pass: object, more: Files = {}) => ({
  'pass.json': couponJson({ serialNumber: 'S-1', authenticationToken: 'T'.repeat(16), ...pass }),
  ...more,
});

describe('an archive', () => {
  test('has its files at the top or in one folder, whose name is that of the template', () => {
    const flat = read({ 'pass.json': couponJson() });
    expect(flat.definition.name).toBe('One coffee for free');
    const folder = read({
      'Summer 2027.pkpasstemplate/pass.json': couponJson(),
      '__MACOSX/Summer 2027.pkpasstemplate/._pass.json': 'x',
      'Summer 2027.pkpasstemplate/.DS_Store': 'x',
    });
    expect(folder).toEqual({ definition: { ...flat.definition, name: 'Summer 2027' }, warnings: [] });
    expect(read({ 'x.raw/pass.json': couponJson() }, VIENNA, { name: 'Mine' }).definition.name).toBe('Mine');
  });

  test.each<[string, Files, string]>([
    ['no pass.json', { 'readme.txt': 'x' }, 'The archive has no pass.json, neither at the top nor in one folder'],
    [
      'a pass.json too deep',
      { 'a/b/pass.json': couponJson() },
      'The archive has no pass.json, neither at the top nor in one folder',
    ],
    ['passes in it', { 'a.pkpass': 'x' }, 'The archive is a bundle of passes; import one of its .pkpass files'],
    [
      'two templates',
      { 'a/pass.json': {}, 'b/pass.json': {} },
      'The archive has several templates; import one at a time',
    ],
    ['no JSON', { 'pass.json': '{' }, 'pass.json is not valid JSON'],
    ['a list', { 'pass.json': '[]' }, 'pass.json must hold a JSON object'],
    [
      'far too many levels',
      { 'pass.json': `{"userInfo":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
      'pass.json has more than 100 levels',
    ],
    [
      'a huge pass.json',
      { 'pass.json': couponJson({ description: 'x'.repeat(1024 * 1024) }) },
      'pass.json is larger than 1 MiB',
    ],
    [
      'more objects than fit into memory',
      { 'pass.json': `{"fields":[${'{},'.repeat(300_000)}{}]}` },
      'pass.json has more than 300000 objects and arrays',
    ],
    [
      'no style',
      { 'pass.json': { description: 'x' } },
      'pass.json has no style; it must have one of boardingPass, coupon, eventTicket, generic, storeCard',
    ],
    [
      'a path that leads out',
      { '../pass.json': couponJson() },
      'The archive cannot be imported: the name "../pass.json" leads out of the archive',
    ],
    [
      'a huge image',
      { 'pass.json': couponJson(), 'logo.png': new Uint8Array(5 * 1024 * 1024 + 1) },
      'images.logo: is larger than 5 MiB',
    ],
  ])('is rejected with %s', (_, files, message) => {
    expect(refusalOf(files)).toBe(message);
  });

  test('without the texts that a template needs uses others, and truncates those that are too long', () => {
    const { definition, warnings } = read({
      'x/pass.json': { coupon: {}, logoText: 'Bakery', description: 'd'.repeat(600) },
    });
    expect(definition).toMatchObject({ name: 'x', organizationName: 'Bakery', description: 'd'.repeat(500) });
    expect(warnings).toEqual(['description: has more than 500 characters; cut off']);
  });
});

describe('a pass.json', () => {
  test('provides type, texts, colors, code and fields of its style', () => {
    const { definition, warnings } = read({
      'pass.json': {
        formatVersion: 1,
        organizationName: 'Line',
        description: 'Night train',
        logoText: 'Line',
        backgroundColor: 'rgb(29, 53, 87)',
        foregroundColor: '#FFF',
        sharingProhibited: true,
        barcodes: [
          { format: 'PKBarcodeFormatNew', message: 'x' },
          { format: 'PKBarcodeFormatAztec', message: '{bcbp}', altText: '{confirmationCode}' },
        ],
        boardingPass: {
          transitType: 'PKTransitTypeTrain',
          headerFields: [
            { key: 'gate', label: 'Gate', value: 7, changeMessage: 'Gate %@', textAlignment: 'PKTextAlignmentRight' },
          ],
          primaryFields: [
            { key: 'at', value: '2027-03-01T10:15:00+01:00', timeStyle: 'PKDateStyleShort', isRelative: true },
          ],
          secondaryFields: [
            { key: 'local', value: '2027-03-01T10:15+09:00', dateStyle: 'PKDateStyleFull', ignoresTimeZone: true },
          ],
          auxiliaryFields: [
            { key: 'price', value: 9.5, currencyCode: 'EUR' },
            { key: 'share', value: '{Share}', numberStyle: 'PKNumberStylePercent', row: 1 },
          ],
          backFields: [
            {
              key: 'site',
              label: 'Site',
              value: 'Us',
              attributedValue: "<a href='https://example.com/?a=1&amp;b=2'>Us</a>",
            },
            { key: 'terms', value: 'Terms' },
          ],
        },
      },
    });
    expect(warnings).toEqual([]);
    expect(definition).toMatchObject({
      type: 'boardingPass',
      transitType: 'PKTransitTypeTrain',
      organizationName: 'Line',
      description: 'Night train',
      logoText: 'Line',
      sharingProhibited: true,
      colors: { backgroundColor: '#1d3557', foregroundColor: '#ffffff' },
      barcode: { format: 'aztec', value: '{bcbp}', alternativeText: '{confirmationCode}', useAutoIdForValue: false },
      fields: {
        headerFields: [
          {
            key: 'gate',
            type: 'number',
            label: 'Gate',
            value: '7',
            changeMessage: 'Gate %@',
            alignment: 'PKTextAlignmentRight',
          },
        ],
        primaryFields: [
          { key: 'at', type: 'date', value: '2027-03-01 10:15', timeStyle: 'PKDateStyleShort', isRelative: true },
        ],
        secondaryFields: [{ key: 'local', type: 'date', value: '2027-03-01 10:15', ignoresTimezone: true }],
        auxiliaryFields: [
          { key: 'price', type: 'currency', value: '9.5', currencyCode: 'EUR' },
          { key: 'share', type: 'number', value: '{Share}', numberStyle: 'PKNumberStylePercent', row: 1 },
        ],
        backFields: [{ key: 'terms', type: 'text', value: 'Terms' }],
      },
      links: [{ label: 'Site', url: 'https://example.com/?a=1&b=2' }],
    });
  });

  test('provides places and dates, in the account’s zone', () => {
    const { definition, warnings } = read({
      'pass.json': couponJson({
        locations: [{ latitude: 48.2, longitude: 16.4, altitude: 170, relevantText: 'Near' }],
        maxDistance: 100,
        relevantDate: '2027-08-21T20:00:00+02:00',
        relevantDates: [
          { date: '2027-08-21T18:00:00Z', relevantDate: '2027-08-21T18:00:00Z' },
          { startDate: '2027-08-22T10:00:00Z', endDate: '2027-08-22T12:00:00Z' },
        ],
        expirationDate: '2020-01-01T00:00:00Z',
      }),
    });
    expect(warnings).toEqual([]);
    expect(definition).toMatchObject({
      locations: [{ latitude: 48.2, longitude: 16.4, altitude: 170, relevantText: 'Near' }],
      relevantDate: '2027-08-21 20:00',
      expiration: { expirationDate: '2020-01-01 01:00' },
      apple: {
        maxDistance: 100,
        relevantDates: [{ startDate: '2027-08-22T10:00:00Z', endDate: '2027-08-22T12:00:00Z' }],
      },
    });
  });

  test('provides Apple’s own features by name', () => {
    const apple = {
      preferredStyleSchemes: ['posterEventTicket', 'eventTicket'],
      semantics: { eventName: 'Derby', seats: [{ seatNumber: '1', seatSectionColor: 'rgb(255, 0, 0)' }] },
      featuredActions: [{ identifier: 'a', type: 'shop', url: 'https://example.com' }],
      bagPolicyURL: 'https://example.com/bags',
      useAutomaticColors: true,
      userInfo: { a: [1] },
      posterGeneric: { footerFields: [{ key: 'f', value: 'Foot' }] },
      upcomingPassInformation: [
        {
          identifier: 'm',
          name: 'Match',
          type: 'event',
          isActive: true,
          additionalInfoFields: [{ key: 'i', value: 'Info' }],
        },
      ],
    };
    const { definition, warnings } = read({
      'pass.json': couponJson({
        ...apple,
        coupon: undefined,
        eventTicket: { additionalInfoFields: [{ key: 'more', value: 'More' }] },
      }),
    });
    expect(warnings).toEqual([]);
    expect(definition).toMatchObject({
      type: 'eventTicket',
      apple: {
        ...apple,
        semantics: { eventName: 'Derby', seats: [{ seatNumber: '1', seatSectionColor: '#ff0000' }] },
        additionalInfoFields: [{ key: 'more', type: 'text', value: 'More' }],
      },
    });
  });

  test('accepts dates with fractions, and with offsets without a colon', () => {
    const { definition, warnings } = read({
      'pass.json': couponJson({
        relevantDate: '2027-08-21T18:00:00.000Z',
        expirationDate: '2027-08-21T20:00:00+0200',
        relevantDates: [{ startDate: '2027-08-21T18:00:00.123Z', endDate: '2027-08-21T20:00:00+0000' }],
        semantics: { eventStartDate: '2027-08-21T18:00:00.000Z' },
        coupon: { primaryFields: [{ key: 'a', value: '2027-08-21T18:00:30.500Z', dateStyle: 'PKDateStyleShort' }] },
      }),
    });
    expect(warnings).toEqual([]);
    expect(definition).toMatchObject({
      relevantDate: '2027-08-21 20:00',
      expiration: { expirationDate: '2027-08-21 20:00' },
      fields: { primaryFields: [{ value: '2027-08-21T18:00:30Z' }] },
      apple: {
        relevantDates: [{ startDate: '2027-08-21T18:00:00Z', endDate: '2027-08-21T20:00:00+00:00' }],
        semantics: { eventStartDate: '2027-08-21T18:00:00Z' },
      },
    });
  });

  test('of an event has a background if it has no strip', () => {
    const ticket = { coupon: undefined, eventTicket: {} };
    const typeWith = (...images: string[]) =>
      definitionOf(ticket, Object.fromEntries(images.map((name) => [name, 'x']))).type;
    expect(typeWith()).toBe('eventTicket');
    expect(typeWith('background@2x.png')).toBe('eventTicketBackground');
    expect(typeWith('thumbnail.png')).toBe('eventTicketBackground');
    expect(typeWith('strip.png', 'background.png')).toBe('eventTicket');
  });

  test.each<[string, object, string]>([
    ['an unknown member', { foo: 1 }, 'foo: is not a member that templates have; left out'],
    [
      'a wrong color',
      { labelColor: 'rgb(1, 2, 300)' },
      'labelColor: must be a color such as rgb(29, 53, 87); left out',
    ],
    [
      'an unknown code',
      { barcode: { format: 'Other', message: 'x' } },
      'barcodes: has no code of a known format; the template shows none',
    ],
    ['a list of fields that is none', { coupon: { backFields: {} } }, 'coupon.backFields: is not a list; left out'],
    [
      'an unknown list',
      { coupon: { sideFields: [] } },
      'coupon.sideFields: is not a list of fields that templates have; left out',
    ],
    ['a field that is none', { coupon: { backFields: [7] } }, 'coupon.backFields.0: is not a field; left out'],
    [
      'a rich text',
      { coupon: { primaryFields: [{ key: 'a', value: 'b', attributedValue: '<b>b</b>' }] } },
      'coupon.primaryFields.0.attributedValue: fields have plain texts; left out',
    ],
    [
      'a script as a link',
      { coupon: { backFields: [{ key: 'a', value: 'b', attributedValue: '<a href="javascript:x()">b</a>' }] } },
      'coupon.backFields.0.attributedValue: fields have plain texts; left out',
    ],
    [
      'a value that is none',
      { coupon: { primaryFields: [{ key: 'a', value: { b: 1 } }] } },
      'fields.primaryFields.0.value: must be a string; left out',
    ],
    [
      'a key twice',
      { coupon: { primaryFields: [{ key: 'a', value: '1' }], backFields: [{ key: 'a', value: '2' }] } },
      'fields.backFields.0.key: "a" occurs twice in the pass; left out',
    ],
    [
      'a message without its mark',
      { coupon: { primaryFields: [{ key: 'a', value: '1', changeMessage: 'New' }] } },
      'fields.primaryFields.0.changeMessage: must contain %@, as in "Now at %@"; left out',
    ],
    [
      'a tag that Apple does not have',
      { semantics: { mood: 'good' } },
      'apple.semantics.mood: is not a semantic tag of Apple Wallet; left out',
    ],
    [
      'a link that is none',
      { appLaunchURL: 'nowhere' },
      'apple.appLaunchURL: must be a URL such as https://example.com or myapp://card; left out',
    ],
    [
      'a place on no map',
      { locations: [{ latitude: 91, longitude: 0 }] },
      'locations.0.latitude: must be at most 90; left out',
    ],
    [
      'too many places',
      { locations: Array.from({ length: 101 }, () => ({ latitude: 1, longitude: 1 })) },
      'locations: must have at most 100 entries; the others were left out',
    ],
    [
      'a date without a zone',
      { relevantDate: 'tomorrow' },
      'relevantDate: is not a date in ISO 8601 with its zone; left out',
    ],
    ['two styles', { generic: {} }, 'generic: a template has one style, and this one is coupon; left out'],
  ])('with %s is imported without it', (_, pass, warning) => {
    expect(warningsOf(pass)).toContain(warning);
    expect(definitionOf(pass).organizationName).toBe('Bakery');
  });

  test('keeps valid members next to invalid ones', () => {
    const locations = [
      { latitude: 91, longitude: 0 },
      { latitude: 1, longitude: 2 },
    ];
    const beacons = [{ proximityUUID: 'x' }, { proximityUUID: '01980b5e-4a30-7a52-9c11-0242ac120000', major: 1 }];
    const definition = definitionOf({ locations, beacons, maxDistance: 'far' });
    expect(definition.locations).toEqual([{ latitude: 1, longitude: 2 }]);
    expect(definition.apple).toEqual({ beacons: [beacons[1]] });
  });

  test('with several errors in one place loses only that place', () => {
    const url = `x${'y'.repeat(3_000)}`;
    const bad = { key: 'bad', label: { a: 1 }, value: [], changeMessage: 7, currencyCode: 'x' };
    const fields = Array.from({ length: 120 }, (_, i) => ({ key: `f${i}`, value: i > 110 ? {} : 'x' }));
    const { definition, warnings } = read({
      'pass.json': couponJson({
        locations: [
          { latitude: 'x', longitude: 'y' },
          { latitude: 1, longitude: 2 },
        ],
        featuredActions: [{ url }, { identifier: 'a', type: 'shop', url: 'https://example.com' }],
        coupon: { primaryFields: [bad, { key: 'good', value: 'Good' }], backFields: fields },
      }),
    });
    expect(definition.locations).toEqual([{ latitude: 1, longitude: 2 }]);
    expect(definition.apple?.featuredActions).toEqual([{ identifier: 'a', type: 'shop', url: 'https://example.com' }]);
    expect(definition.fields.primaryFields.map(({ key }) => key)).toEqual(['bad', 'good']);
    expect(definition.fields.backFields).toHaveLength(100);
    expect(new Set(warnings).size).toBe(warnings.length);
  });

  test('with thousands of unknown members has a hundred warnings, and the number of the others', () => {
    const warnings = warningsOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 1])));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('There are 4900 more');
  });

  test('with too many texts is rejected', () => {
    const backFields = Array.from({ length: 10 }, (_, i) => ({ key: `f${i}`, value: 'x'.repeat(9_000) }));
    expect(refusalOf({ 'pass.json': couponJson({ coupon: { backFields } }) })).toMatch(/^fields: all texts together/);
  });
});

describe('an issued pass', () => {
  test('loses its secrets and what belongs only to it', () => {
    const files = issued({
      passTypeIdentifier: 'pass.com.example',
      teamIdentifier: 'TEAM',
      webServiceURL: 'https://example.com',
      groupingIdentifier: 'G',
      voided: true,
      userInfo: { customer: 4711 },
      nfc: { message: 'secret-nfc', encryptionPublicKey: 'secret-key' },
      barcodes: [{ format: 'PKBarcodeFormatQR', message: 'secret-0815', altText: 'Seat 7' }],
      expirationDate: '2026-01-01T00:00:00Z',
      coupon: {
        primaryFields: [
          { key: 'number', label: 'Number', value: 'secret-0815' },
          { key: 'offer', value: 'Coffee' },
        ],
      },
      semantics: { totalPrice: { amount: '5', currencyCode: 'EUR' }, wifiAccess: [{ ssid: 'guest', password: 'x' }] },
      appLaunchURL: 'https://example.com/?customer=4711',
    });
    const { definition, warnings } = read(files);
    expect(warnings).toEqual([
      'serialNumber: each pass gets its own; left out',
      'authenticationToken: each pass gets its own; left out',
      'passTypeIdentifier: passes are signed with a certificate of your account; left out',
      'teamIdentifier: passes are signed with a certificate of your account; left out',
      'webServiceURL: passes get their updates from this service; left out',
      'groupingIdentifier: it belongs to one pass; passes of the template can have one; left out',
      'voided: it is the state of one pass; left out',
      'nfc: its message belongs to one pass, and its key to the readers of another issuer; left out',
      'fields: have the texts of the example pass; replace what belongs to its holder by placeholders',
      'coupon.primaryFields.0.value: repeats the code of the example pass; replaced by {barcodeValue}',
      'barcodes: the message belongs to the example pass; each pass gets a code of its own',
      'barcodes.altText: belongs to the example pass; left out',
      'expirationDate: is in the past (2026-01-01 01:00), so that new passes would be expired; left out',
      'userInfo: it may belong to the holder of the example pass; left out',
      'semantics: totalPrice belong to the example pass; left out',
      'appLaunchURL: the address may belong to the holder of the example pass; left out',
    ]);
    expect(definition).toMatchObject({
      type: 'coupon',
      groupingIdentifierEnabled: true,
      barcode: { format: 'qr', value: '', useAutoIdForValue: true, alternativeText: '' },
      nfc: { enabled: false, encryptionPublicKey: '' },
      fields: {
        primaryFields: [
          { key: 'number', value: '{barcodeValue}' },
          { key: 'offer', value: 'Coffee' },
        ],
      },
      apple: { semantics: { wifiAccess: [{ ssid: 'guest', password: 'x' }] } },
    });
    expect(JSON.stringify(definition)).not.toMatch(/secret|4711|T{16}|S-1|pass\.com|TEAM/);
  });

  test('keeps a text below the code that repeats it, and a future date', () => {
    const { definition } = read(
      issued({
        barcode: { format: 'PKBarcodeFormatPDF417', message: '0815', altText: '0815' },
        expirationDate: '2027-01-01T00:00:00+01:00',
      }),
    );
    expect(definition.barcode).toMatchObject({ format: 'pdf417', alternativeText: '{barcodeValue}' });
    expect(definition.expiration.expirationDate).toBe('2027-01-01 00:00');
  });

  test('may contain our own definition, unless that would not fit into memory', () => {
    for (const own of [`{"a":[${'{},'.repeat(300_000)}{}]}`, `{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`]) {
      const { warnings } = read({ 'pass.json': couponJson(), '.pass-wallet-service/template.json': own });
      expect(warnings).toEqual([
        expect.stringMatching(/^\.pass-wallet-service\/template\.json: not used, .* (300000 objects|4 MiB)/),
      ]);
    }
  });

  test('is recognized by its manifest, and may differ from it', () => {
    const pass = JSON.stringify(couponJson({ barcode: { format: 'PKBarcodeFormatQR', message: 'mine' } }));
    const digest = (text: string) => createHash('sha1').update(text).digest('hex');
    const files = { 'pass.json': pass, 'icon.png': 'icon', signature: 'x' };
    const manifest = { 'pass.json': digest(pass), 'icon.png': digest('icon') };
    const good = read({ ...files, 'manifest.json': manifest });
    expect(good.definition.barcode.value).toBe('');
    expect(good.warnings.filter((warning) => warning.startsWith('manifest'))).toEqual([]);
    const changed = read({ ...files, 'manifest.json': { ...manifest, 'icon.png': digest('other') } });
    expect(changed.warnings).toContain('manifest.json: the pass was changed after it was signed: icon.png');
    for (const bad of ['{', `{"a":"${'x'.repeat(1024 * 1024)}"}`])
      expect(read({ ...files, 'manifest.json': bad }).warnings).toContain('manifest.json: cannot be read');
  });
});

describe('images', () => {
  const imagesOf = (more: Files, home = VIENNA) => {
    const { definition, warnings } = read({ 'pass.json': couponJson(), ...more }, home);
    const text = (source: string | null | undefined) => (source ? Buffer.from(source, 'base64').toString() : source);
    const { perPassImages: _, ...images } = definition.images;
    return { images: Object.fromEntries(Object.entries(images).map(([role, one]) => [role, text(one)])), warnings };
  };

  test('are imported in their largest scale, and no logo is added', () => {
    const files = { 'logo.png': '1', 'logo@3x.png': '3', 'logo@2x.png': '2', 'strip@2x.png': 's2', 'icon.png': 'i' };
    expect(imagesOf(files)).toEqual({ images: { logo: '3', strip: 's2', icon: 'i' }, warnings: [] });
    expect(imagesOf({}).images).toEqual({ logo: null });
  });

  test('of a language are imported if there is no other one', () => {
    const files = { 'de.lproj/strip@2x.png': 'de', 'en.lproj/strip.png': 'en', 'fr.lproj/strip.png': 'fr' };
    const left = (languages: string) => [
      `strip: templates have one image for all languages; those in ${languages} were left out`,
    ];
    expect(imagesOf(files)).toEqual({ images: { logo: null, strip: 'en' }, warnings: left('de, fr') });
    expect(imagesOf(files, { ...VIENNA, language: 'de' }).images.strip).toBe('de');
    expect(imagesOf({ ...files, 'strip.png': 'top' })).toEqual({
      images: { logo: null, strip: 'top' },
      warnings: left('de, en, fr'),
    });
  });

  test('that templates do not have are left out, like other files', () => {
    expect(
      imagesOf({ 'personalizationLogo.png': 'x', 'personalization.json': '{}', 'notes/a.txt': 'x' }).warnings,
    ).toEqual([
      'personalizationLogo.png: is not a file that templates have; left out',
      'personalization.json: is not a file that templates have; left out',
      'notes/a.txt: is not a file that templates have; left out',
    ]);
  });
});

describe('translations', () => {
  const strings = (texts: Record<string, string>) =>
    Object.entries(texts)
      .map(([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)};\n`)
      .join('');
  const translated = (tables: Record<string, Record<string, string>>, pass = {}, home = VIENNA) => {
    const files = Object.entries(tables).map(([name, texts]) => [`${name}.lproj/pass.strings`, strings(texts)]);
    const { definition, warnings } = read({ 'pass.json': couponJson(pass), ...Object.fromEntries(files) }, home);
    const { translations, translationsEnabled, organizationName, fields, locations } = definition;
    return {
      translations,
      translationsEnabled,
      organizationName,
      label: fields.primaryFields[0]?.label,
      locations,
      warnings,
    };
  };

  test('are the file’s, except those equal to the text in the account’s language', () => {
    const de = { Bakery: 'Bäckerei', Offer: 'Angebot' };
    expect(
      translated({ de: { ...de, same: 'same' }, en: { Bakery: 'Bakery', Offer: 'Offer', same: 'same' } }),
    ).toMatchObject({
      translations: { de },
      translationsEnabled: true,
      organizationName: 'Bakery',
    });
    expect(translated({ en: { Bakery: 'Bakery' } }).translationsEnabled).toBe(false);
  });

  test('have texts as their keys if the file has names', () => {
    const pass = { organizationName: 'ORG', coupon: { primaryFields: [{ key: 'a', label: 'OFFER', value: 'x' }] } };
    const tables = { de: { ORG: 'Bäckerei', OFFER: 'Angebot' }, en: { ORG: 'Bakery', OFFER: 'Offer' } };
    expect(translated(tables, pass)).toMatchObject({
      organizationName: 'Bakery',
      label: 'Offer',
      translations: { de: { Bakery: 'Bäckerei', Offer: 'Angebot' } },
    });
    expect(translated(tables, pass, { ...VIENNA, language: 'de' })).toMatchObject({
      organizationName: 'Bäckerei',
      translations: { en: { Bäckerei: 'Bakery', Angebot: 'Offer' } },
    });
  });

  test('of a place are next to its text', () => {
    const pass = { locations: [{ latitude: 1, longitude: 2, relevantText: 'NEAR' }] };
    const { locations, translations } = translated({ en: { NEAR: 'Near' }, de: { NEAR: 'Nah' } }, pass);
    expect(locations).toEqual([
      { latitude: 1, longitude: 2, relevantText: 'Near', localizedRelevantText: { de: 'Nah' } },
    ]);
    expect(translations).toEqual({});
  });

  test('beyond a template’s limit are left out, starting from the end', () => {
    const large = strings(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, `value ${i}`])));
    const { warnings, definition } = read({
      'pass.json': couponJson(),
      'de.lproj/pass.strings': '"Offer" = "Angebot";',
      'fr.lproj/pass.strings': large,
      ...Object.fromEntries(
        [...'mnop'].flatMap((a) =>
          [...'abcdefghijklmnopqrstuvwxyz'].map((b) => [`${a}${b}.lproj/pass.strings`, '"Offer" = "X";']),
        ),
      ),
    });
    expect(definition.translations.de).toEqual({ Offer: 'Angebot' });
    expect(Object.keys(definition.translations).length).toBe(60);
    expect(warnings[0]).toBe('fr.lproj/pass.strings: the translations have more than 512 KiB together; left out');
    expect(warnings.at(-1)).toBe('pz.lproj/pass.strings: there are more than 60 languages; left out');
  });

  test('that cannot be read are left out', () => {
    const { warnings, definition } = read({
      'pass.json': couponJson(),
      'de.lproj/pass.strings': '"Offer" = "Angebot"',
      'nowhere1.lproj/pass.strings': '"Offer" = "x";',
      'fr.lproj/pass.strings': '"Offer" = "Offre";',
      'pt_BR.lproj/pass.strings': '"Offer" = "Oferta"; "__proto__" = "x";',
    });
    expect(warnings).toEqual([
      'de.lproj/pass.strings: line 1 does not look like "key" = "value";; left out',
      'nowhere1.lproj/pass.strings: its folder names no language; left out',
    ]);
    expect(Object.keys(definition.translations)).toEqual(['fr', 'pt-BR']);
    expect(definition.fields.primaryFields[0]?.label).toBe('Offer');
  });
});
