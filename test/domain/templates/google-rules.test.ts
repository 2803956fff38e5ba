import { describe, expect, test } from 'vitest';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { type GoogleKind, MEMBER_KINDS } from '../../../src/domain/templates/google/kind.ts';
import { googleFindings } from '../../../src/domain/templates/wallet-rules/google-rules.ts';
import { everyGoogleMember } from '../../support/google-members.ts';
import { publishedMembers } from '../../support/google-typings.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';

const parsed = (overrides: Partial<TemplateInput>) => TemplateDefinition.parse(sampleTemplate(overrides));
/** Returns `severity path` of each finding. */
const found = (overrides: Partial<TemplateInput>) =>
  googleFindings(parsed({ organizationName: 'Example', ...overrides })).map(
    ({ severity, path }) => `${severity} ${path}`,
  );

const fields = (count: number, more: object = {}) => ({
  backFields: Array.from({ length: count }, (_, i) => ({ key: `f${i}`, label: 'L', value: 'V', ...more })),
});
const places = (count: number) => Array.from({ length: count }, () => ({ latitude: 1, longitude: 1 }));
const links = (count: number) => Array.from({ length: count }, () => ({ label: 'L', url: 'https://a.example/' }));
const google = (members: TemplateInput['google']) => ({ google: members });
const ticket = (members: TemplateInput['google']) => ({ type: 'eventTicket' as const, google: members });
const interval = (start: string, end: string) => ({ displayInterval: { start: { date: start }, end: { date: end } } });
const layout = (fieldPath: string) => ({
  classTemplateInfo: {
    detailsTemplateOverride: { detailsItemInfos: [{ item: { firstValue: { fields: [{ fieldPath }] } } }] },
  },
});
const LAYOUT = 'google.classTemplateInfo.detailsTemplateOverride.detailsItemInfos.0.item.firstValue.fields.0.fieldPath';
const CURRENCY = { type: 'currency', currencyCode: 'EUR' };

describe('Google’s rules for a definition', () => {
  test.each<[finding: string, wrong: Partial<TemplateInput>, right: Partial<TemplateInput>]>([
    ['error images.logo', { type: 'storeCard' }, { type: 'storeCard', images: { icon: 'x' } }],
    [
      'error images.logo',
      { type: 'boardingPass', transitType: 'PKTransitTypeBus' },
      { type: 'boardingPass', transitType: 'PKTransitTypeAir' },
    ],
    ['warning fields', { type: 'coupon', fields: fields(11) }, { type: 'coupon', fields: fields(10) }],
    [
      'warning google.textModulesData',
      { fields: fields(10), ...google({ textModulesData: [{ body: 'x' }] }) },
      { fields: fields(9), ...google({ textModulesData: [{ body: 'x' }] }) },
    ],
    ['warning links', { links: links(11) }, { links: links(10) }],
    [
      'warning google.linksModuleData.uris',
      { links: links(10), ...google({ linksModuleData: { uris: [{ uri: 'tel:1' }] } }) },
      { links: links(9), ...google({ linksModuleData: { uris: [{ uri: 'tel:1' }] } }) },
    ],
    [
      'warning google.imageModulesData',
      google({ imageModulesData: [{ mainImage: 'a' }, { mainImage: 'b' }] }),
      google({ imageModulesData: [{ mainImage: 'a' }] }),
    ],
    ['hint organizationName', { organizationName: 'x'.repeat(21) }, { organizationName: 'x'.repeat(20) }],
    [
      'hint description',
      { type: 'coupon', description: 'x'.repeat(61) },
      { type: 'coupon', description: 'x'.repeat(60) },
    ],
    [
      'hint fields.backFields.0.label',
      { fields: fields(1, { label: 'x'.repeat(36) }) },
      { fields: fields(1, { label: '{Level}'.padEnd(36) }) },
    ],
    ['hint links.0.label', { links: [{ label: 'x'.repeat(21), url: 'https://a.example/' }] }, { links: links(1) }],
    [
      'hint google.textModulesData.0.header',
      google({ textModulesData: [{ header: 'x'.repeat(36), body: 'x' }] }),
      google({ textModulesData: [{ header: 'x'.repeat(35), body: 'x' }] }),
    ],
    [
      'hint google.textModulesData.0.body',
      google({ textModulesData: [{ body: 'x'.repeat(501) }] }),
      google({ textModulesData: [{ body: 'x'.repeat(500) }] }),
    ],
    [
      'hint google.linksModuleData.uris.0.description',
      google({ linksModuleData: { uris: [{ uri: 'tel:1', description: 'x'.repeat(21) }] } }),
      google({ linksModuleData: { uris: [{ uri: 'tel:1', description: 'x' }] } }),
    ],
    [
      'warning google.valueAddedModuleData.0.header',
      google({ valueAddedModuleData: [{ header: 'x'.repeat(61) }] }),
      google({ valueAddedModuleData: [{ header: 'x'.repeat(60) }] }),
    ],
    [
      'warning google.valueAddedModuleData.0.body',
      google({ valueAddedModuleData: [{ header: 'x', body: 'x'.repeat(51) }] }),
      google({ valueAddedModuleData: [{ header: 'x', body: 'x'.repeat(50) }] }),
    ],
    [
      'warning google.valueAddedModuleData.0.viewConstraints.displayInterval.end.date',
      google({
        valueAddedModuleData: [{ header: 'x', viewConstraints: interval('2027-01-02 00:00', '2027-01-01 00:00') }],
      }),
      google({
        valueAddedModuleData: [{ header: 'x', viewConstraints: interval('2027-01-01 00:00', '2027-01-02 00:00') }],
      }),
    ],
    [
      'error google.redemptionIssuers',
      google({ enableSmartTap: true, smartTapRedemptionValue: 'x' }),
      google({ enableSmartTap: true, smartTapRedemptionValue: 'x', redemptionIssuers: ['1'] }),
    ],
    [
      'error google.smartTapRedemptionValue',
      google({ enableSmartTap: true, redemptionIssuers: ['1'] }),
      google({ enableSmartTap: true, smartTapRedemptionValue: 'x', redemptionIssuers: ['1'] }),
    ],
    ['hint google.enableSmartTap', google({ enableSmartTap: true }), google({ enableSmartTap: false })],
    ['warning google.smartTapRedemptionValue', google({ smartTapRedemptionValue: 'x' }), google({})],
    ['warning google.redemptionIssuers', google({ redemptionIssuers: ['1'] }), google({ redemptionIssuers: [] })],
    ['hint google.notifyPreference', ticket({ notifyPreference: 'NOTIFY_ON_UPDATE' }), ticket({})],
    [
      'warning google.notifyPreference',
      google({ notifyPreference: 'NOTIFY_ON_UPDATE' }),
      ticket({ notifyPreference: 'NOTIFY_ON_UPDATE' }),
    ],
    [
      'warning google.notifications.upcomingNotification',
      google({
        notifications: {
          expiryNotification: { enableNotification: true },
          upcomingNotification: { enableNotification: true },
        },
      }),
      google({ notifications: { upcomingNotification: { enableNotification: true } } }),
    ],
    [
      'warning google.notifications.expiryNotification',
      google({ notifications: { expiryNotification: { enableNotification: true } } }),
      {
        expiration: { validityInDays: 3 },
        ...google({ notifications: { expiryNotification: { enableNotification: true } } }),
      },
    ],
    [
      'warning google.dateTime.end',
      ticket({ dateTime: { start: '2027-01-01 20:00', end: '2027-01-01 19:00' } }),
      ticket({ dateTime: { start: '2027-01-01 20:00', end: '{End}' } }),
    ],
    [
      'warning google.dateTime.start',
      ticket({ dateTime: { start: '2027-01-01 20:00', doorsOpen: '2027-01-01 21:00' } }),
      ticket({ dateTime: { start: '2027-01-01 20:00', doorsOpen: '2027-01-01 19:00' } }),
    ],
    [
      'warning locations',
      { locations: places(11) },
      { locations: places(11), ...google({ merchantLocations: places(1) }) },
    ],
    ['hint google.linkedObjectIds', google({ linkedObjectIds: ['1.x'] }), google({ linkedObjectIds: [] })],
    [
      'hint google.saveRestrictions',
      google({ saveRestrictions: { restrictToEmailSha256: '{emailRecipient}' } }),
      google({}),
    ],
    [
      'hint google.passConstraints.screenshotEligibility',
      google({ passConstraints: { screenshotEligibility: 'INELIGIBLE' } }),
      { hidePrintVersion: true, ...google({ passConstraints: { screenshotEligibility: 'INELIGIBLE' } }) },
    ],
    [
      `warning ${LAYOUT}`,
      google(layout("object.textModulesData['nobody']")),
      google(layout("object.textModulesData['level']")),
    ],
    [
      'hint fields',
      { passFunctionality: { type: 'prepaid' } },
      { passFunctionality: { type: 'prepaid' }, fields: { primaryFields: [CURRENCY] } as never },
    ],
    [
      'hint google',
      { walletApps: { google: false }, ...google({ enableSmartTap: true }) },
      { walletApps: { google: false } },
    ],
  ])('find %s', (finding, wrong, right) => {
    expect(found(wrong)).toContain(finding);
    expect(found(right)).not.toContain(finding);
  });

  test('find nothing in a plain definition, and nothing at all without Google', () => {
    expect(found({})).toEqual([]);
    expect(found({ type: 'storeCard', locations: places(11), walletApps: { google: false } })).toEqual([]);
  });

  test('report what is wrong, for which wallet, and Google’s source', () => {
    for (const type of ['storeCard', 'eventTicket', 'generic', 'coupon'] as const) {
      for (const finding of googleFindings(parsed({ type, google: everyGoogleMember() }))) {
        expect(finding.wallet).toBe('google');
        expect(finding.message).toMatch(/^\S.+[^.]$/);
        expect(finding.source).toMatch(/^https:\/\/developers\.google\.com\/wallet\//);
      }
    }
  });

  test('check the shape of stored images', () => {
    const shapes = (width: number, height: number) => {
      const image = { sha256: '0'.repeat(64), width, height, variants: {} };
      const definition = {
        ...parsed({ organizationName: 'Example' }),
        images: { logo: image, strip: image },
        google: { wideLogo: image },
      };
      return googleFindings(definition).map(({ path }) => path);
    };
    expect(shapes(660, 660)).toEqual(['google.wideLogo', 'images.strip']);
    expect(shapes(1_280, 400)).toEqual(['images.logo', 'images.logo']);
  });

  test('check the shape of images whose size is known by their address', () => {
    const definition = parsed({
      organizationName: 'Example',
      images: { logo: 'https://x.example/logo.png', strip: 'https://x.example/unknown.png' },
      google: { wideLogo: 'https://x.example/logo.png' },
    });
    const sizes = new Map([['https://x.example/logo.png', { width: 100, height: 100 }]]);
    expect(googleFindings(definition, sizes).map(({ path }) => path)).toEqual(['images.logo', 'google.wideLogo']);
    expect(googleFindings(definition)).toEqual([]);
  });
});

/** Google's names for our members, by kind. A flight's wide logo is in the header of its class. */
const NAMES: Record<string, string[]> = {
  wideLogo: ['wideLogo', 'wideProgramLogo', 'wideTitleImage', 'wideAirlineLogo'],
};
const NESTED: Partial<Record<GoogleKind, string[]>> = { flight: ['flightCarrier'] };
const KINDS: GoogleKind[] = ['flight', 'transit', 'offer', 'eventTicket', 'loyalty', 'giftCard', 'generic'];

test.each(Object.keys(everyGoogleMember()))('the kinds with %s match Google’s typings', (member) => {
  const published = KINDS.filter((kind) => {
    const members = [`${kind}Class`, `${kind}Object`, ...(NESTED[kind] ?? [])].flatMap(publishedMembers);
    return (NAMES[member] ?? [member]).some((name) => members.includes(name));
  });
  expect((MEMBER_KINDS[member as keyof typeof MEMBER_KINDS] ?? KINDS).toSorted()).toEqual(published.toSorted());
});
