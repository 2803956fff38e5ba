import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TemplateInput } from '../../support/samples.ts';

/** Returns a definition that uses every member, for checking that nothing is lost. */
export function wholeTemplate(otherTemplateId: string): Partial<TemplateInput> {
  return {
    name: 'Everything "quoted" & <marked>',
    type: 'boardingPass',
    transitType: 'PKTransitTypeTrain',
    userProvidedId: `whole-${otherTemplateId}`,
    logoText: 'Line {Full name}',
    stopLocationsAfterUse: true,
    apple: {
      featuredActions: [{ identifier: 'a', type: 'shop', url: 'https://example.com' }],
      semantics: { carNumber: '7', duration: 90, silenceRequested: false },
      maxDistance: 5,
      userInfo: { 'a "b"': ['<x>', 1, null] },
    },
    fields: {
      headerFields: [
        {
          index: 3,
          key: 'gate',
          label: 'Gate',
          value: '{Gate}',
          changeMessage: 'Gate %@',
          alignment: 'PKTextAlignmentRight',
          voidedLabel: 'Was',
          voidedValue: '–',
          semantics: { departurePlatform: '{Gate}', seats: [{ seatNumber: '1' }] },
        },
        { index: 7, key: 'track', type: 'number', label: 'Track', value: '4', numberStyle: 'PKNumberStyleScientific' },
      ],
      primaryFields: [
        { key: 'from', label: 'From', value: 'Vienna', alignment: 'PKTextAlignmentLeft', row: 1 },
        { key: 'to', label: 'To', value: 'Linz' },
      ],
      secondaryFields: [
        {
          key: 'when',
          type: 'date',
          label: 'When',
          value: '2030-01-01 10:00',
          dateStyle: 'PKDateStyleShort',
          timeStyle: 'PKDateStyleFull',
          ignoresTimezone: true,
          isRelative: true,
        },
      ],
      auxiliaryFields: [
        { key: 'price', type: 'currency', label: 'Price', value: '9.5', currencyCode: 'EUR', row: 1 },
        { key: 'odd', label: 'Odd', value: 'x', dateStyle: 'PKDateStyleLong', currencyCode: 'USD', row: 0 },
      ],
      backFields: [{ key: 'terms', label: 'Terms', value: '\nFirst line\nsecond “line”\n\n  fourth\n' }],
    },
    additionalProperties: [
      { name: 'Full name', type: 'text', required: true },
      { name: 'Gate', type: 'select', options: ['A 1', 'B, 2'], default: 'A 1', unique: false },
      { name: 'Note', type: 'textarea', default: 'two\nlines' },
      { name: 'Mail', type: 'email', unique: true },
      { name: 'Yes', type: 'checkbox', default: 'true' },
    ],
    barcode: {
      format: 'qr',
      value: '{userProvidedId}',
      rotating: { periodSeconds: 30, digits: 8, apple: 'static' },
      alternativeText: 'No. {barcodeValue}',
    },
    nfc: { enabled: true, encryptionPublicKey: nfcKey(), requiresAuthentication: true },
    images: { perPassImages: { logo: true, background: true } },
    colors: {
      backgroundColor: '#101010',
      foregroundColor: '#fefefe',
      labelColor: '#aabbcc',
      footerBackgroundColor: '#202020',
      voidedBackgroundColor: '#303030',
    },
    translations: { de: { Gate: 'Ausgang', 'No longer there': 'Nicht mehr da' }, 'pt-BR': { From: 'De' } },
    translationsEnabled: true,
    locations: [
      {
        latitude: 48.2,
        longitude: -16.37,
        altitude: 170.5,
        maxDistance: 250,
        relevantText: 'Near: the "station"',
        localizedRelevantText: { de: 'Nahe: am Bahnhof', fr: 'deux\nlignes' },
      },
      { latitude: 0, longitude: 0 },
    ],
    timezone: 'Europe/Berlin',
    relevantDate: '2030-01-01 09:00',
    relevantDateDifferentForEachPass: true,
    links: [{ label: 'Site', url: 'https://example.com/?a=1&b=2' }, { url: 'tel:+431234' }],
    expiration: {
      expirationDate: '2030-12-31 23:59',
      expirationDateDifferentForEachPass: true,
      limitExpirationDateOfPassWithTemplate: true,
      fallbackToTemplateExpirationDateIfEmpty: true,
      validityInDays: 30,
    },
    enforceUniqueUserProvidedId: true,
    maxPasses: 0,
    customNumberRange: { from: 0, to: 99, prefix: 'N-', padding: 4 },
    validValidationPlaces: ['Gate 1', 'Gate, 2'],
    groupingIdentifierEnabled: true,
    downloadPinEnabled: true,
    preventDownloadWhenActive: true,
    sharingProhibited: true,
    hidePrintVersion: true,
    passFunctionality: { type: 'prepaid', tiers: [{ minimumValue: 12.5, templateId: otherTemplateId }] },
    sendoutOptions: {
      passCreationNotification: { subject: 'Hello', emailTemplate: '<p>Hello {Full name}</p>\n<p>Bye</p>' },
      adHoc: { subject: 'Again', emailTemplate: 'Again' },
      sms: { text: 'See {downloadPage}' },
    },
    walletApps: { apple: true, google: false },
    google: {
      textModulesData: [{ id: 'hours', header: 'Hours', body: 'For {Full name}:\n"open" & <warm>' }],
      redemptionIssuers: ['3388000000022334455'],
      wideLogo: readFileSync('scripts/demo/images/lindhof-logo.png').toString('base64'),
    },
  };
}

/** Returns a compressed P-256 public key as SubjectPublicKeyInfo in base64. */
function nfcKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const isOdd = Buffer.from(y!, 'base64url').at(-1)! % 2;
  const head = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
  return Buffer.concat([head, Buffer.from([2 + isOdd]), Buffer.from(x!, 'base64url')]).toString('base64');
}
