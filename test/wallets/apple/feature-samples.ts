import { resolveCard } from '../../../src/domain/passes/card/resolve-card.ts';
import type { Pass } from '../../../src/domain/passes/table.ts';
import type { AppleMemberName } from '../../../src/domain/templates/apple/members.ts';
import { type StoredDefinition, TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import type { Env } from '../../../src/platform/env.ts';
import { buildPassJson } from '../../../src/wallets/apple/pass-json.ts';
import { readAirports } from '../../support/airports.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';

/* Passes of templates that use Apple Wallet features, without a database. */

const IMAGE = { sha256: 'stored', width: 1, height: 1, variants: {} };
export const NFC = {
  enabled: true,
  requiresAuthentication: true,
  encryptionPublicKey: `MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA${'A'.repeat(44)}=`,
};
export const VENUE = { eventName: 'Derby', venueName: 'Stadium', venueRegionName: 'Vienna', venueRoom: 'West stand' };

const propertyId = (i: number) => `65f0c2a81b3d4.0123456${i}`;

/** Returns the pass.json of a pass with this template in an account in Vienna; `roles` are its images. */
export async function passJson(template: Partial<TemplateInput>, pass: Partial<Pass> = {}, roles: string[] = []) {
  const parsed = TemplateDefinition.parse(sampleTemplate(template)) as unknown as StoredDefinition;
  const images = { ...parsed.images, ...Object.fromEntries(roles.map((role) => [role, IMAGE])) };
  const card = resolveCard({
    account: { id: 'account', timezone: 'Europe/Vienna', language: 'en' },
    pass: {
      id: 'pass',
      barcodeValue: '0815',
      properties: { [propertyId(0)]: '2027-08-21 20:00', [propertyId(1)]: 'A 12', [propertyId(2)]: '' },
      appearance: {},
      storedValue: 12.5,
      lastUsageAt: null,
      ...pass,
    } as unknown as Pass,
    definition: { ...parsed, images } as StoredDefinition,
    templateVersion: 1,
    links: { baseUrl: 'https://passes.example', env: {} as Env },
  });
  return JSON.parse(JSON.stringify(await buildPassJson(card, { passTypeId: 'pass.x', teamId: 'T', readAirports })));
}

const PROPERTIES = ['start', 'seat', 'empty'].map((name, i) => ({ id: propertyId(i), name, type: 'text' as const }));

export const poster = (apple: object = {}): Partial<TemplateInput> => ({
  type: 'eventTicket',
  additionalProperties: PROPERTIES,
  nfc: NFC,
  apple: { preferredStyleSchemes: ['posterEventTicket', 'eventTicket'], semantics: VENUE, ...apple },
});
export const boarding = (apple: object = {}): Partial<TemplateInput> => ({
  type: 'boardingPass',
  transitType: 'PKTransitTypeAir',
  additionalProperties: PROPERTIES,
  apple,
});
export const other = (apple: object = {}): Partial<TemplateInput> => ({
  type: 'storeCard',
  additionalProperties: PROPERTIES,
  apple,
});

/** Returns a value for each kind of member, and one that Apple's rules reject. */
export function valuesOf(name: AppleMemberName): [given: unknown, written: unknown, refused: unknown] {
  if (name === 'appLaunchURL') return ['myapp://card/{seat}', 'myapp://card/A%2012', 'javascript:alert(1)'];
  if (name.endsWith('URL') || name === 'contactVenueWebsite')
    return ['https://example.com/{seat}', 'https://example.com/A%2012', 'ftp://example.com'];
  if (name.endsWith('Email')) return ['help@example.com', 'help@example.com', 'help'];
  if (name.endsWith('PhoneNumber')) return ['+43 664 1234567', '+43 664 1234567', 'call us'];
  if (name.endsWith('StoreIdentifiers')) return [[284910350], [284910350], ['app']];
  return OTHER_VALUES[name]!;
}
export const ACTION = { identifier: 'shop', type: 'shop', url: 'https://example.com/shop' };
export const BEACON = { proximityUUID: 'B7FA1C44-B5B2-436D-AD33-C26651C498BB', major: 1, minor: 65_535 };
const OTHER_VALUES: Partial<Record<AppleMemberName, [unknown, unknown, unknown]>> = {
  featuredActions: [[ACTION], [ACTION], [{ ...ACTION, type: 'dance' }]],
  relevantDates: [
    [{ date: '2027-08-21 20:00' }, { startDate: '2027-08-22 10:00', endDate: '2027-08-22T12:00:00Z' }],
    [
      { date: '2027-08-21T20:00:00+02:00', relevantDate: '2027-08-21T20:00:00+02:00' },
      { startDate: '2027-08-22T10:00:00+02:00', endDate: '2027-08-22T12:00:00Z' },
    ],
    [{ startDate: '2027-08-22 10:00' }],
  ],
  beacons: [
    [{ ...BEACON, relevantText: 'Seat {seat}' }],
    [{ ...BEACON, relevantText: 'Seat A 12' }],
    [{ ...BEACON, major: 65_536 }],
  ],
  maxDistance: ['250', 250, -1],
  businessChatIdentifier: ['urn:biz:1', 'urn:biz:1', ''],
  eventLogoText: ['Season {seat}', 'Season A 12', []],
  useAutomaticColors: [true, true, 'yes'],
  suppressHeaderDarkening: [true, true, 'yes'],
  suppressStripShine: [false, false, 'yes'],
  userInfo: [{ seat: ['{seat}', 1, null] }, { seat: ['A 12', 1, null] }, 'text'],
};
/** An app must be named in addition to its address. */
export const BESIDE: Partial<Record<AppleMemberName, object>> = { appLaunchURL: { associatedStoreIdentifiers: [1] } };
