import { describe, expect, test } from 'vitest';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { APPLE_MEMBER_NAMES, APPLE_MEMBERS, type MemberStyle } from '../../../src/domain/templates/apple/members.ts';
import { peerFaults } from '../../support/peer-schemas.ts';
import type { TemplateInput } from '../../support/samples.ts';
import { SAMPLE_FLIGHT } from '../../support/samples.ts';
import { BESIDE, boarding, other, passJson, poster, VENUE, valuesOf } from './feature-samples.ts';

/* Checks our output with the schemas of an independent generator: passkit-generator (MIT). */

/** Returns every key that has an effect in these styles. */
function keysOf(...styles: MemberStyle[]): object {
  const names = APPLE_MEMBER_NAMES.filter((name) => styles.includes(APPLE_MEMBERS[name].style));
  return Object.assign({}, ...names.map((name) => ({ ...BESIDE[name], [name]: valuesOf(name)[0] })));
}

const EVENT_SEMANTICS = {
  ...VENUE,
  eventType: 'PKEventTypeSports',
  homeTeamAbbreviation: 'RAP',
  awayTeamAbbreviation: 'AUS',
  eventStartDate: '{start}',
  eventStartDateInfo: { date: '{start}', timeZone: 'Europe/Vienna', ignoreTimeComponents: true },
  performerNames: ['Ada'],
  venueLocation: { latitude: 48.2, longitude: 16.4 },
  seats: [{ seatNumber: '{seat}', seatSection: 'A', seatSectionColor: '#fff' }],
  duration: 5400,
  tailgatingAllowed: false,
  wifiAccess: [{ ssid: 'guest', password: 'x' }],
  totalPrice: { amount: '12.50', currencyCode: 'EUR' },
};
const FIELDS = [{ key: 'extra', label: 'Extra', value: '{seat}' }];

const PASSES: [string, Partial<TemplateInput>, Partial<Pass>?][] = [
  [
    'a poster event ticket',
    poster({
      ...keysOf('any', 'posterEvent', 'posterEventOrBoarding', 'poster'),
      semantics: EVENT_SEMANTICS,
      additionalInfoFields: FIELDS,
      upcomingPassInformation: [
        {
          identifier: 'm1',
          name: 'Match',
          dateInformation: { date: '{start}', isAllDay: true },
          semantics: { venueName: 'Stadium', venuePlaceID: 'I1' },
          URLs: { bagPolicyURL: 'https://example.com/bags', contactVenueEmail: 'a@example.com' },
          images: {
            headerImage: { URLs: [{ URL: 'https://example.com/{seat}.png', SHA256: 'a'.repeat(64), scale: 2 }] },
            venueMap: { reuseExisting: true },
          },
          additionalInfoFields: FIELDS,
          backFields: FIELDS,
          auxiliaryStoreIdentifiers: [1],
        },
      ],
    }),
  ],
  ['a store card with a poster', other({ ...keysOf('any', 'strip'), posterGeneric: { footerFields: FIELDS } })],
  [
    'a semantic boarding pass',
    boarding({
      ...keysOf('any', 'boarding', 'posterEventOrBoarding'),
      preferredStyleSchemes: ['semanticBoardingPass', 'boardingPass'],
      semantics: {
        passengerCapabilities: ['PKPassengerCapabilityCarryon'],
        passengerEligibleSecurityPrograms: ['PKTransitSecurityProgramCLEAR'],
        loungePlaceIDs: ['I1'],
        internationalDocumentsAreVerified: true,
      },
    }),
    { flight: { ...SAMPLE_FLIGHT, localScheduledArrivalDateTime: '2027-03-01T12:00' } as Pass['flight'] },
  ],
  ['a plain card', { ...other(), locations: [{ latitude: 1, longitude: 2, relevantText: 'Near' }] }],
];

describe('passkit-generator accepts', () => {
  test.each(PASSES)('%s', async (_, template, pass = {}) => {
    expect(peerFaults(await passJson(template, pass, ['artwork']))).toEqual([]);
  });

  test('nothing of an invalid kind', async () => {
    const pass = { ...(await passJson(other())), maxDistance: 'far', semantics: { flightNumber: 'OS1' } };
    const paths = peerFaults(pass).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['maxDistance', 'semantics.flightNumber']));
  });
});
