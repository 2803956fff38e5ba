import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoPassData } from '../../scripts/demo/passes.ts';
import { type DemoKey, demoTemplates } from '../../scripts/demo/templates.ts';
import { findKitinerary, readWithKitinerary } from '../../scripts/kitinerary.ts';
import { freshAccount } from '../support/api.ts';

const extractor = findKitinerary();
if (!extractor)
  console.warn('KDE’s kitinerary-extractor is not installed (libkpimitinerary-bin): its tests are skipped.');

/** Returns what KDE's extractor reads in a demo template's pass. */
async function readDemo(key: DemoKey) {
  const client = await freshAccount({ timezone: 'UTC' });
  const { definition } = (await demoTemplates()).find((one) => one.key === key)!;
  const { body } = await client.post('/api/v2/pass-template', definition);
  const { linkToPassFile } = await client.createPass(body.data.identifier, demoPassData(key));
  const folder = mkdtempSync(join(tmpdir(), 'kitinerary-'));
  const file = join(folder, 'demo.pkpass');
  writeFileSync(file, (await client.get(linkToPassFile as '/')).body);
  const found = readWithKitinerary(extractor!, file);
  rmSync(folder, { recursive: true });
  return found;
}

test.skipIf(!extractor)('KDE reads passenger, flight, airports, seat and times in a boarding pass', async () => {
  expect(await readDemo('boardingPass')).toMatchObject([
    {
      '@type': 'FlightReservation',
      underName: { familyName: 'CASTELLAN', givenName: 'MIRA' },
      reservationNumber: 'K7QX4M',
      airplaneSeat: '14A',
      passengerSequenceNumber: '42',
      reservationFor: {
        airline: { iataCode: 'ZZ', name: 'Corvane Airways' },
        flightNumber: '2184',
        departureAirport: { iataCode: 'ZRH', name: 'Zurich' },
        departureGate: 'A72',
        arrivalAirport: { iataCode: 'LIS', name: 'Lisbon' },
        departureDay: '2027-05-14',
        boardingTime: { '@value': '2027-05-14T09:40:00+02:00', timezone: 'Europe/Zurich' },
      },
      reservedTicket: { ticketToken: 'aztecCode:M1CASTELLAN/MIRA      EK7QX4M ZRHLISZZ 2184 134Y014A0042 100' },
    },
  ]);
});

test.skipIf(!extractor)('KDE reads event, place and start in an event ticket', async () => {
  expect(await readDemo('eventTicket')).toMatchObject([
    {
      '@type': 'EventReservation',
      reservationFor: {
        name: 'Ticket for Tidal Hours, presented by parallel nights',
        location: { name: 'Alte Werft, Hall 2: doors at 19:00', geo: { latitude: expect.closeTo(53.5419, 3) } },
        startDate: { '@value': '2027-06-18T19:00:00+02:00', timezone: 'Europe/Berlin' },
      },
    },
  ]);
});

test.skipIf(!extractor)('KDE reads event, place and start in a season ticket', async () => {
  expect(await readDemo('seasonTicket')).toMatchObject([
    {
      '@type': 'EventReservation',
      reservationFor: {
        name: 'Season ticket of FC Nordkai for 2027/28',
        location: { name: 'Welcome to the Kaistadion', geo: { latitude: expect.closeTo(54.3406, 3) } },
        startDate: { '@value': '2027-08-07T16:30:00+02:00', timezone: 'Europe/Berlin' },
      },
    },
  ]);
});
