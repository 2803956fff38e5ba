import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type StoredDefinition, TemplateDefinition } from '../../../../src/domain/templates/definition.ts';
import { zipStore } from '../../../../src/platform/zip.ts';
import { readPackage } from '../../../../src/wallets/apple/template-package/import-template.ts';
import { openPackage } from '../../../../src/wallets/apple/template-package/open-package.ts';
import { appleTexts } from '../../../../src/wallets/apple/template-package/pack-template.ts';
import { randomRuns } from '../../../support/random-runs.ts';

/*
 * Definitions that Apple's format can express: after an export without our own file and an import, they are the same.
 */

const HOME = { language: 'en', timezone: 'Europe/Vienna' };
const NAME = 'Round trip';

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
const text = fc.oneof(
  { weight: 4, arbitrary: words },
  {
    weight: 2,
    arbitrary: fc.constantFrom('{Full name}', 'To {Gate}, please', 'say "\\n"\r\n\ttwice', 'Gate'),
  },
);
const title = fc.constantFrom('Membership card', 'Ticket {Gate}', '“Quoted” & <marked>', '漢字 🎫');
const color = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
const minute = fc.constantFrom('2027-01-01 00:00', '2027-03-28 03:30', '2027-07-15 23:59', '2030-10-27 12:00');
const style = fc.constantFrom('PKDateStyleNone', 'PKDateStyleShort', 'PKDateStyleFull');
const alignment = fc.constantFrom('PKTextAlignmentLeft', 'PKTextAlignmentNatural');

/** Returns a record of which any member may be absent. */
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });

const commonOfField = {
  label: fc.oneof(fc.constant(''), text),
  changeMessage: fc.constantFrom('Now %@', '%@ {Gate}'),
  alignment,
  row: fc.constantFrom(0, 1),
  semantics: fc.constantFrom({ eventName: '{Gate}' }, { seats: [{ seatNumber: '1', seatSectionColor: '#ff0000' }] }),
};
const field = fc
  .tuple(
    some(commonOfField),
    fc.oneof(
      fc.record({ type: fc.constant('text'), value: fc.oneof(fc.constant(''), text) }),
      fc.record({ type: fc.constant('number'), value: fc.constantFrom('0', '12.5', '-3') }),
      fc.record({ type: fc.constant('number'), value: text, numberStyle: fc.constant('PKNumberStylePercent') }),
      fc.record({
        type: fc.constant('currency'),
        value: fc.constantFrom('9.5', '{Price}'),
        currencyCode: fc.constant('EUR'),
      }),
      fc.record(
        {
          type: fc.constant('date'),
          value: fc.oneof(minute, fc.constantFrom('{start}', 'soon', '2027-01-01T10:00:30+01:00')),
          dateStyle: style,
          timeStyle: style,
          ignoresTimezone: fc.boolean(),
          isRelative: fc.boolean(),
        },
        { requiredKeys: ['type', 'value', 'dateStyle'] },
      ),
    ),
  )
  .map(([common, content]) => ({ ...common, ...content }));

const LISTS = ['headerFields', 'primaryFields', 'secondaryFields', 'auxiliaryFields', 'backFields'];
const withKeys = (prefix: string) => (items: object[]) => items.map((item, i) => ({ key: `${prefix}-${i}`, ...item }));
const fieldsIn = (list: string) => fc.array(field, { maxLength: 3 }).map(withKeys(list));
const someFields = (list: string) => fc.array(field, { minLength: 1, maxLength: 2 }).map(withKeys(list));

const kind = fc.oneof(
  fc.constantFrom('coupon', 'storeCard', 'eventTicket', 'generic').map((type) => ({ type })),
  fc
    .constantFrom('PKTransitTypeAir', 'PKTransitTypeTrain')
    .map((transitType) => ({ type: 'boardingPass', transitType })),
);

const barcode = fc.oneof(
  fc.constant({ format: 'none' }),
  fc.record({
    format: fc.constantFrom('qr', 'pdf417', 'aztec', 'code128', 'ean13', 'itf'),
    value: fc.constantFrom('{bcbp}', '12345670', '{Gate}-{userProvidedId}'),
    alternativeText: fc.oneof(fc.constant(''), text),
  }),
  fc.record({
    format: fc.constantFrom('qr', 'codabar', 'code39'),
    useAutoIdForValue: fc.constant(true),
    alternativeText: fc.constantFrom('', '{barcodeValue}'),
  }),
);

const translations = fc
  .dictionary(fc.constantFrom('de', 'fr', 'pt-BR'), fc.dictionary(text, text, { minKeys: 1, maxKeys: 4 }))
  // A text translated as itself isn't a translation.
  .map((tables) => {
    const kept = Object.entries(tables).map(([language, table]) => {
      return [language, Object.fromEntries(Object.entries(table).filter(([key, value]) => key !== value))] as const;
    });
    return Object.fromEntries(kept.filter(([, table]) => Object.keys(table).length > 0));
  });

const place = fc.record(
  {
    latitude: fc.integer({ min: -90, max: 90 }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }).map((one) => Math.round(one * 1e5) / 1e5 || 0),
    altitude: fc.integer({ min: -100, max: 9_000 }),
    relevantText: fc.uuid(),
  },
  { requiredKeys: ['latitude', 'longitude'] },
);

const apple = some({
  relevantDates: fc.constantFrom(
    [{ date: '2027-01-05T10:00:00Z' }],
    [{ startDate: '2027-01-05T10:00:00Z', endDate: '2027-01-05T12:00:00Z' }],
  ),
  beacons: fc.constant([{ proximityUUID: '01980b5e-4a30-7a52-9c11-0242ac120000', major: 1, relevantText: 'Here' }]),
  maxDistance: fc.integer({ min: 0, max: 1_000 }),
  featuredActions: fc.constant([{ identifier: 'a', type: 'shop', url: 'https://example.com/?p={identifier}' }]),
  eventLogoText: text,
  useAutomaticColors: fc.boolean(),
  suppressStripShine: fc.boolean(),
  bagPolicyURL: fc.constant('https://example.com/bags'),
  managementURL: fc.constant('https://example.com/{identifier}'),
  appLaunchURL: fc.constant('myapp://card'),
  associatedStoreIdentifiers: fc.constant([1, 2]),
  userInfo: fc.dictionary(fc.string(), fc.oneof(text, fc.integer(), fc.constant([true, null])), {
    minKeys: 1,
    maxKeys: 3,
  }),
  semantics: fc.constantFrom(
    { eventName: '{Gate}', eventType: 'PKEventTypeSports', performerNames: ['Ada', '{Gate}'] },
    { departureAirportCode: 'VIE', silenceRequested: false, duration: 90 },
  ),
  posterGeneric: some({ primaryFields: someFields('p'), footerFields: someFields('f') }),
  additionalInfoFields: someFields('info'),
  upcomingPassInformation: fc.constant([
    {
      identifier: 'm1',
      name: 'Match {Gate}',
      type: 'event',
      isActive: true,
      dateInformation: { date: '2027-01-05T10:00:00Z', isAllDay: true },
      URLs: { bagPolicyURL: 'https://example.com/bags' },
      semantics: { venueName: 'Stadium' },
      backFields: [{ key: 'b', type: 'text', label: '', value: 'Back' }],
    },
  ]),
}).filter((one) => Object.keys(one).length > 0);

const definition = fc
  .tuple(
    kind,
    fc.record({
      organizationName: title,
      description: title,
      fields: fc.record(Object.fromEntries(LISTS.map((list) => [list, fieldsIn(list)]))),
      barcode,
    }),
    some({
      logoText: text,
      colors: some({ backgroundColor: color, foregroundColor: color, labelColor: color, footerBackgroundColor: color }),
      locations: fc.array(place, { maxLength: 3 }),
      relevantDate: minute,
      expiration: fc.record({ expirationDate: minute }),
      sharingProhibited: fc.boolean(),
      links: fc.array(
        fc.record({
          label: fc.constantFrom('', 'Site'),
          url: fc.constantFrom('https://example.com/?a=1&b="2"', 'tel:+431', "mailto:a'b@example.com"),
        }),
        { maxLength: 2 },
      ),
      apple,
    }),
    translations,
  )
  .map(([type, base, more, tables]) => ({
    name: NAME,
    ...type,
    ...base,
    ...more,
    images: { logo: null },
    ...(Object.keys(tables).length > 0 && { translations: tables, translationsEnabled: true }),
  }));

function imported(input: object) {
  const stored = TemplateDefinition.parse(input) as unknown as StoredDefinition;
  const files = appleTexts(stored, HOME).map((file) => ({ ...file, name: `${NAME}.pkpasstemplate/${file.name}` }));
  return readPackage(openPackage(zipStore(files)), HOME);
}

describe('what Apple’s format can express', () => {
  test('is restored without a warning', () => {
    fc.assert(
      fc.property(definition, (input) => {
        const { definition: back, warnings } = imported(input);
        expect(warnings).toEqual([]);
        // Undefined members aren't stored.
        expect(JSON.parse(JSON.stringify(back))).toEqual(TemplateDefinition.parse(input));
      }),
      randomRuns(300, 30_000),
    );
  });

  test('omits placeholders where Apple requires a number or a date, and what only this service supports', () => {
    const { definition: back } = imported({
      name: NAME,
      organizationName: 'Line',
      description: 'Ticket',
      type: 'generic',
      apple: { maxDistance: '{far}', relevantDates: [{ date: '{start}' }] },
      additionalProperties: [{ name: 'far' }],
      maxPasses: 5,
      barcode: { format: 'qr', rotating: { periodSeconds: 30, digits: 6 } },
      google: { enableSmartTap: true },
    });
    expect(back).toMatchObject({ additionalProperties: [], barcode: { format: 'qr', useAutoIdForValue: true } });
    expect([back.apple, back.google, back.maxPasses, back.barcode.rotating]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
