import { describe, expect, test } from 'vitest';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { withoutNulls } from '../../../src/domain/templates/google/members.ts';
import { everyGoogleMember } from '../../support/google-members.ts';
import { sampleTemplate } from '../../support/samples.ts';

type Google = Record<string, unknown>;

/** Returns the paths of the invalid members in a definition. */
function refused(google: Google, more: object = {}): string[] {
  const result = TemplateDefinition.safeParse({ ...sampleTemplate(), google, ...more });
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.'));
}

const item = { firstValue: { fields: [{ fieldPath: 'object.seatInfo.seat' }] } };
const row = { oneItem: { item } };
const rows = (...cardRowTemplateInfos: object[]) => ({
  classTemplateInfo: { cardTemplateOverride: { cardRowTemplateInfos } },
});
const ROWS = 'google.classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos';
const list = (length: number, value: unknown) => Array.from({ length }, () => value);

describe('members for Google Wallet', () => {
  test('are accepted under Google’s names, and null clears each', () => {
    const google = everyGoogleMember();
    expect(refused(google)).toEqual([]);
    expect(refused(Object.fromEntries(Object.keys(google).map((name) => [name, null])))).toEqual([]);
    expect(TemplateDefinition.parse({ ...sampleTemplate(), google }).google).toEqual(google);
  });

  test.each<[path: string, google: Google]>([
    [ROWS, rows(row, row, row, row)],
    [`${ROWS}.0`, rows({ ...row, twoItems: { startItem: item, endItem: item } })],
    [`${ROWS}.0`, rows({})],
    [`${ROWS}.0.oneItem.item.firstValue`, rows({ oneItem: { item: {} } })],
    [
      `${ROWS}.0.oneItem.item.firstValue.fields.0.fieldPath`,
      rows({ oneItem: { item: { firstValue: { fields: [{ fieldPath: 'seat' }] } } } }),
    ],
    ['google.linksModuleData.uris.0.uri', { linksModuleData: { uris: [{ uri: 'example.com' }] } }],
    ['google.linksModuleData.uris.0.uri', { linksModuleData: { uris: [{ uri: 'javascript:alert(1)' }] } }],
    ['google.textModulesData.0.id', { textModulesData: [{ id: 'a.b', body: 'x' }] }],
    [
      'google.textModulesData.1.id',
      {
        textModulesData: [
          { id: 'a', body: 'x' },
          { id: 'a', body: 'y' },
        ],
      },
    ],
    ['google.textModulesData.0.body', { textModulesData: [{ header: 'x', body: '' }] }],
    ['google.imageModulesData.0.mainImage', { imageModulesData: [{ id: 'x' }] }],
    ['google.valueAddedModuleData', { valueAddedModuleData: list(16, { header: 'x' }) }],
    ['google.valueAddedModuleData.0.header', { valueAddedModuleData: [{ body: 'x' }] }],
    [
      'google.valueAddedModuleData.0.viewConstraints.displayInterval.start.date',
      { valueAddedModuleData: [{ header: 'x', viewConstraints: { displayInterval: { start: { date: 'soon' } } } }] },
    ],
    ['google.linkedObjectIds.0', { linkedObjectIds: ['voucher'] }],
    ['google.linkedObjectIds', { linkedObjectIds: list(51, '1.x') }],
    ['google.notifyPreference', { notifyPreference: 'notifyOnUpdate' }],
    ['google.passConstraints.nfcConstraint.0', { passConstraints: { nfcConstraint: ['BLOCK'] } }],
    [
      'google.saveRestrictions.restrictToEmailSha256',
      { saveRestrictions: { restrictToEmailSha256: 'ada@example.com' } },
    ],
    ['google.securityAnimation.animationType', { securityAnimation: { animationType: 'SPARKLE' } }],
    ['google.viewUnlockRequirement', { viewUnlockRequirement: 'LOCKED' }],
    ['google.appLinkData', { appLinkData: { displayText: 'Open' } }],
    [
      'google.appLinkData.displayText',
      { appLinkData: { webAppLinkInfo: { appTarget: { packageName: 'a.b' } }, displayText: 'x'.repeat(31) } },
    ],
    [
      'google.appLinkData.webAppLinkInfo.appTarget.targetUri.description',
      { appLinkData: { webAppLinkInfo: { appTarget: { targetUri: { uri: 'https://a.example/' } } } } },
    ],
    ['google.redemptionIssuers.0', { redemptionIssuers: [3388000000022334] }],
    ['google.smartTapRedemptionValue', { smartTapRedemptionValue: 'Grüße' }],
    ['google.genericType', { genericType: 'SEASON' }],
    ['google.merchantLocations', { merchantLocations: list(11, { latitude: 0, longitude: 0 }) }],
    ['google.merchantLocations.0.latitude', { merchantLocations: [{ latitude: 91, longitude: 0 }] }],
    ['google.venue.address', { venue: { name: 'Hall' } }],
    ['google.dateTime.start', { dateTime: { start: '2026-02-30 10:00' } }],
    [
      'google.dateTime.customDoorsOpenLabel',
      { dateTime: { doorsOpenLabel: 'GATES_OPEN', customDoorsOpenLabel: 'Admission' } },
    ],
  ])('are rejected at %s: %j', (path, google) => {
    expect(refused(google)).toEqual([path]);
  });

  test('contain no personal data if they are part of a class shared by all passes', () => {
    const venue = { name: 'Hall of {Full name}', address: 'Main Street 1' };
    const additionalProperties = [{ name: 'Full name', personal: true }];
    expect(refused({ venue })).toEqual([]);
    expect(refused({ venue }, { additionalProperties })).toEqual(['google.venue.name']);
    expect(refused({ venue: { ...venue, name: '{emailRecipient}' } })).toEqual(['google.venue.name']);
    const names = ['userProvidedId', 'passengerName', 'confirmationCode', 'seatNumber', 'sequenceNumber', 'bcbp'];
    for (const name of [...names, 'barcodeValue', 'barcodeAlternativeText', 'generatedId', 'downloadPage'])
      expect(refused({ venue: { ...venue, name: `Hall {${name}}` } }), name).toEqual(['google.venue.name']);
    expect(refused({ venue: { ...venue, name: '{originAirportGate}' } })).toEqual([]);
    // A property has precedence over a field of the same name.
    expect(
      refused({ venue: { ...venue, name: '{seatNumber}' } }, { additionalProperties: [{ name: 'seatNumber' }] }),
    ).toEqual([]);
    const translations = { de: { 'Main Street 1': 'bei {Full name}' } };
    const plain = { venue: { ...venue, name: 'Hall' } };
    expect(refused(plain, { additionalProperties, translations })).toEqual(['google.venue.address']);
    // Objects belong to a single pass.
    expect(refused({ seatInfo: { seat: '{Full name}' } }, { additionalProperties })).toEqual([]);
  });

  test('count among the texts of a card, without the bytes of images', () => {
    const body = 'x'.repeat(9_000);
    expect(refused({ textModulesData: list(8, { body }) })).toEqual(['fields']);
    expect(refused({ wideLogo: 'A'.repeat(100_000) })).toEqual([]);
  });

  test('are stored without null values', () => {
    expect(withoutNulls({ a: null, b: [{ c: undefined, d: 0 }], e: { f: null } })).toEqual({ b: [{ d: 0 }], e: {} });
  });
});
