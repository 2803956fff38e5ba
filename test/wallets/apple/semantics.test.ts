import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/passes/card/card.ts';
import type { FlightFields } from '../../../src/domain/passes/values/pass-fields.ts';
import { isTimeZone } from '../../../src/platform/dates.ts';
import { findAirports } from '../../../src/wallets/apple/airports.ts';
import { buildPassJson } from '../../../src/wallets/apple/pass-json.ts';
import { readAirports } from '../../support/airports.ts';
import { sampleCard, sampleField, sampleFields } from '../../support/card.ts';

async function write(card: Card) {
  return JSON.parse(JSON.stringify(await buildPassJson(card, { passTypeId: 'pass.x', teamId: 'T', readAirports })));
}

const FLIGHT = sampleCard('boardingPass').flight!;

function flightCard(flight: Partial<FlightFields>, overrides: Partial<Card> = {}): Card {
  return sampleCard('boardingPass', {
    preferredStyleScheme: 'semanticBoardingPass',
    ...overrides,
    flight: { ...FLIGHT, ...flight },
  });
}

describe('semantic tags of a flight', () => {
  test('have the flight’s values, in the airports’ zones', async () => {
    expect((await write(flightCard({}))).semantics).toEqual({
      airlineCode: 'LH',
      flightNumber: 401,
      flightCode: 'LH401',
      transitProvider: 'Example Air',
      departureAirportCode: 'BER',
      departureCityName: 'Berlin',
      departureLocationTimeZone: 'Europe/Berlin',
      departureAirportTimeZone: 'Europe/Berlin',
      departureGate: 'B12',
      departureTerminal: '1',
      destinationAirportCode: 'JFK',
      destinationCityName: 'New York',
      destinationLocationTimeZone: 'America/New_York',
      destinationAirportTimeZone: 'America/New_York',
      destinationTerminal: '4',
      originalBoardingDate: '2026-12-24T09:20:00+01:00',
      originalDepartureDate: '2026-12-24T10:00:00+01:00',
      currentDepartureDate: '2026-12-24T10:15:00+01:00',
      originalArrivalDate: '2026-12-24T13:05:00-05:00',
      passengerName: { givenName: 'Erika', familyName: 'Mustermann' },
      confirmationNumber: 'QX3Y7Z',
      ticketFareClass: 'Economy',
      seats: [{ seatNumber: '23A' }],
      boardingGroup: '2',
      boardingSequenceNumber: '0042',
    });
  });

  test('follow daylight saving time', async () => {
    const { semantics } = await write(flightCard({ localScheduledDepartureTime: '2026-07-01T10:00' }));
    expect(semantics.originalDepartureDate).toBe('2026-07-01T10:00:00+02:00');
  });

  test('omit times and cities of unknown airports', async () => {
    const { semantics } = await write(flightCard({ originAirportCode: 'XXX' }));
    expect(semantics.departureAirportCode).toBe('XXX');
    expect(semantics.originalArrivalDate).toBe('2026-12-24T13:05:00-05:00');
    for (const key of [
      'departureCityName',
      'departureLocationTimeZone',
      'originalDepartureDate',
      'originalBoardingDate',
      'currentDepartureDate',
    ])
      expect(semantics).not.toHaveProperty(key);
  });

  test.each([
    ['Erika Mustermann', { givenName: 'Erika', familyName: 'Mustermann' }],
    ['Ana María López', { givenName: 'Ana María', familyName: 'López' }],
    ['MUSTERMANN/ERIKA MS', { givenName: 'ERIKA MS', familyName: 'MUSTERMANN' }],
    ['Castellan, Mira Jo', { givenName: 'Mira Jo', familyName: 'Castellan' }],
    ['Cher', { givenName: 'Cher' }],
  ])('split the name %s', async (passengerName, components) => {
    expect((await write(flightCard({ passengerName }))).semantics.passengerName).toEqual(components);
  });

  test('are absent on other cards', async () => {
    expect(await write(sampleCard('storeCard'))).not.toHaveProperty('semantics');
    expect(await write(sampleCard('boardingPass', { flight: undefined }))).not.toHaveProperty('semantics');
  });
});

describe('preferredStyleSchemes', () => {
  test('names the semantic boarding pass if every tag that it needs is known', async () => {
    expect((await write(flightCard({}))).preferredStyleSchemes).toEqual(['semanticBoardingPass', 'boardingPass']);
  });

  test.each<[string, Card]>([
    ['without a scheme', flightCard({}, { preferredStyleScheme: undefined })],
    ['without arrival', flightCard({ localScheduledArrivalDateTime: null })],
    ['without a known airport', flightCard({ destinationAirportCode: 'XXX' })],
    ['on a train', flightCard({}, { transitType: 'PKTransitTypeTrain' })],
  ])('is omitted %s', async (_, card) => {
    expect(await write(card)).not.toHaveProperty('preferredStyleSchemes');
  });

  const image = { sha256: '', width: 1, height: 1, variants: {} };
  const poster = (overrides: Partial<Card> = {}): Card =>
    sampleCard('eventTicket', {
      type: 'eventTicketBackground',
      preferredStyleScheme: 'posterEventTicket',
      images: { background: image },
      nfc: { message: 'm', encryptionPublicKey: 'k', requiresAuthentication: true },
      fields: sampleFields({
        primaryFields: [sampleField('eventName', 'Event', 'Concert')],
        secondaryFields: [sampleField('venueName', 'Venue', 'Hall'), sampleField('venueRegionName', 'City', 'Berlin')],
        backFields: [sampleField('venueRoom', 'Room', 1, { type: 'number' })],
      }),
      ...overrides,
    });

  test('names the poster event ticket if fields have its tags, with NFC entry and a background', async () => {
    const pass = await write(poster());
    expect(pass.preferredStyleSchemes).toEqual(['posterEventTicket', 'eventTicket']);
    const plain = await write(poster({ type: 'eventTicket' }));
    expect(plain.preferredStyleSchemes).toEqual(['posterEventTicket', 'eventTicket']);
    expect(pass.semantics).toEqual({
      eventName: 'Concert',
      venueName: 'Hall',
      venueRegionName: 'Berlin',
      venueRoom: '1',
    });
  });

  test.each<[string, Card]>([
    ['a tag', poster({ fields: sampleFields({ primaryFields: [sampleField('eventName', 'Event', 'Concert')] }) })],
    ['NFC', poster({ nfc: undefined })],
    ['authentication', poster({ nfc: { message: 'm', encryptionPublicKey: 'k', requiresAuthentication: false } })],
    ['a background', poster({ images: {} })],
    [
      'a background for want of room beside its strip',
      poster({ type: 'eventTicket', images: { background: image, strip: image } }),
    ],
  ])('is omitted without %s', async (_, card) => {
    expect(await write(card)).not.toHaveProperty('preferredStyleSchemes');
  });
});

describe('findAirports', () => {
  test.each([
    ['FRA', 'Frankfurt am Main', 'Europe/Berlin'],
    ['HKG', 'Hong Kong', 'Asia/Hong_Kong'],
    ['IST', 'Istanbul', 'Europe/Istanbul'],
    ['DEL', 'New Delhi', 'Asia/Kolkata'],
    ['PHX', 'Phoenix', 'America/Phoenix'],
    ['URC', 'Ürümqi', 'Asia/Shanghai'],
  ])('knows %s', async (code, city, zone) => {
    expect(await findAirports([code, 'ZZZ'], readAirports)).toEqual([{ city, zone }, undefined]);
  });

  test('has zones that this runtime supports, and each code once', async () => {
    const lines = (await readAirports()).trimEnd().split('\n');
    const table = Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
    expect(Object.keys(table).filter((zone) => !isTimeZone(zone))).toEqual([]);
    const codes = Object.values(table).flatMap((list) => list.split('|').map((entry) => entry.slice(0, 3)));
    expect(codes.length).toBeGreaterThan(3_000);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  });
});
