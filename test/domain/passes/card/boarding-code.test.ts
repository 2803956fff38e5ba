import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardingCode } from '../../../../src/domain/passes/card/boarding-code.ts';
import type { FlightFields } from '../../../../src/domain/passes/values/flight-fields.ts';
import { SAMPLE_FLIGHT } from '../../../support/samples.ts';

const codeOf = (more: Partial<FlightFields>) => boardingCode({ ...SAMPLE_FLIGHT, ...more });

test('a flight’s code follows Resolution 792: 60 characters, each item in its place', () => {
  // The one-leg sample from IATA's implementation guide for airlines, without its conditional items.
  const flight = {
    passengerName: 'Luc Desmarais',
    confirmationCode: 'ABC123',
    originAirportCode: 'YUL',
    destinationAirportCode: 'FRA',
    carrierCode: 'AC',
    flightNumber: 834,
    localScheduledDepartureTime: '2026-08-14T17:35',
    seatClass: 'First',
    seatNumber: '1A',
    sequenceNumber: '25',
  };
  expect(codeOf(flight)).toBe('M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 100');
});

test('unknown items are blank', () => {
  expect(codeOf({})).toBe('M1LOVELACE/ADA        EX7Y8Z9 VIEHAMOS 0171 060           00');
});

test.each([
  ['Castellan/Mira', 'CASTELLAN/MIRA'],
  ['Castellan, Mira Jo', 'CASTELLAN/MIRA JO'],
  ['Jürgen Groß-Müller', 'GROSSMUELLER/JUERGEN'],
  ['Zoë O’Brien', 'OBRIEN/ZOE'],
  ['Cher', 'CHER'],
  ['王小明', ''],
  ['Wolfeschlegelsteinhausen/Hubert', 'WOLFESCHLEGELSTEINHA'],
])('the name %s is written as %s', (passengerName, written) => {
  expect(codeOf({ passengerName }).slice(2, 22)).toBe(written.padEnd(20));
});

test.each([
  ['ab-12 cd', 'AB12CD '],
  ['ABCDEF7', 'ABCDEF7'],
  ['ABCDEF78', '       '],
])('the booking reference %s is written as "%s"', (confirmationCode, written) => {
  expect(codeOf({ confirmationCode }).slice(23, 30)).toBe(written);
});

test.each([
  [{ seatNumber: '23K' }, '023K'],
  [{ seatNumber: 'INF' }, 'INF '],
  [{ seatNumber: 'Deck 4' }, '    '],
])('the seat of %j is "%s"', (flight, written) => {
  expect(codeOf(flight).slice(48, 52)).toBe(written);
});

test.each([
  [{ sequenceNumber: '7' }, '0007 1'],
  [{ sequenceNumber: '0042A' }, '0042A1'],
  [{ sequenceNumber: 'soon' }, '      '],
])('sequence number and status of %j are "%s"', (flight, written) => {
  expect(codeOf(flight).slice(52, 58)).toBe(written);
});

test('whatever the texts are, the code has 60 characters that every reader accepts', () => {
  const texts = fc.record({
    passengerName: fc.string({ unit: 'binary', minLength: 1 }),
    confirmationCode: fc.string({ unit: 'binary', minLength: 1 }),
    seatClass: fc.string(),
    seatNumber: fc.string(),
    sequenceNumber: fc.string(),
  });
  const property = fc.property(texts, (flight) => {
    expect(codeOf(flight)).toMatch(/^M1[A-Z0-9/ ]{56}00$/);
  });
  fc.assert(property);
});
