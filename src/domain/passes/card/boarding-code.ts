import type { FlightFields } from '../values/flight-fields.ts';

/** Letters that passports and tickets spell with two (ICAO 9303). Other letters lose their accents. */
const SPELLED_OUT: Record<string, string> = {
  Ä: 'AE',
  Ö: 'OE',
  Ü: 'UE',
  ẞ: 'SS',
  Æ: 'AE',
  Ø: 'OE',
  Å: 'AA',
  Ð: 'D',
  Þ: 'TH',
  Ł: 'L',
};

/**
 * Builds the bar coded boarding pass of a flight: one leg (`M1`) of IATA Resolution 792 with its 60 mandatory
 * characters and no conditional ones. Values that are unknown or too long are blank, as the standard allows.
 */
export function boardingCode(flight: FlightFields): string {
  const day = dayOfYear(flight.localScheduledDepartureTime);
  const sequence = sequenceText(flight.sequenceNumber);
  return [
    'M1',
    padded(nameText(flight.passengerName), 20),
    'E',
    // A part of a longer reference could be that of another booking.
    padded(
      flight.confirmationCode
        .toUpperCase()
        .replace(/[^A-Z0-9]/g, '')
        .replace(/^.{8,}$/, ''),
      7,
    ),
    flight.originAirportCode,
    flight.destinationAirportCode,
    padded(flight.carrierCode, 3),
    padded(String(flight.flightNumber).padStart(4, '0'), 5),
    String(day).padStart(3, '0'),
    compartment(flight.seatClass),
    padded(seatText(flight.seatNumber), 4),
    padded(sequence, 5),
    // A sequence number is assigned at check-in; status 1 means checked in.
    sequence === '' ? ' ' : '1',
    '00',
  ].join('');
}

/** The mandatory characters of a code from the format to the airports, wherever they are in a text. */
const CODE_START = /[MS]\d[A-Z /]{20}[E ][A-Z0-9 ]{7}[A-Z]{6}/;

/** Returns whether a scanned text contains the code of a boarding pass, and thus the name of a passenger. */
export function hasBoardingCode(text: string): boolean {
  return CODE_START.test(text);
}

function padded(text: string, chars: number): string {
  return text.slice(0, chars).padEnd(chars);
}

/** Returns `SURNAME/GIVEN` in the letters of the standard. Without a slash or comma, the last word is the surname. */
function nameText(name: string): string {
  const [family, given] = name.split(/[/,]/, 2).map(lettersOf);
  if (given !== undefined) return `${family}/${given}`.replace(/\/$/, '');
  const words = lettersOf(name).split(' ');
  const last = words.pop()!;
  return words.length > 0 ? `${last}/${words.join(' ')}` : last;
}

function lettersOf(name: string): string {
  const upper = name.normalize('NFC').toUpperCase();
  const spelled = upper.replace(/[ÄÖÜẞÆØÅÐÞŁ]/g, (letter) => SPELLED_OUT[letter]!).normalize('NFD');
  return spelled
    .replace(/[\p{M}'’.-]/gu, '')
    .replace(/[^A-Z]+/g, ' ')
    .trim();
}

/** Returns the day of the year of the flight, from 1. */
function dayOfYear(local: string): number {
  const date = local.slice(0, 10);
  return (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 86_400_000 + 1;
}

/** Returns the letter of a booking class, or the one of the cabin by its name; blank for others. */
function compartment(seatClass: string | null | undefined): string {
  const name = seatClass?.trim() ?? '';
  if (/^[A-Za-z]$/.test(name)) return name.toUpperCase();
  const cabins: [RegExp, string][] = [
    [/premium/i, 'W'],
    [/first/i, 'F'],
    [/business/i, 'C'],
    [/economy/i, 'Y'],
  ];
  return cabins.find(([pattern]) => pattern.test(name))?.[1] ?? ' ';
}

/** Returns `014A` for 14A, and `INF` for infants. */
function seatText(seat: string | null | undefined): string {
  const text = seat?.trim().toUpperCase() ?? '';
  const [, row, letter] = /^0*(\d{1,3})([A-Z])$/.exec(text) ?? [];
  if (row) return row.padStart(3, '0') + letter;
  return text === 'INF' ? text : '';
}

/** Returns four digits, and a letter if there is one. */
function sequenceText(sequence: string | null | undefined): string {
  const [, digits, letter = ''] = /^0*(\d{1,4})([A-Z]?)$/.exec(sequence?.trim().toUpperCase() ?? '') ?? [];
  return digits ? digits.padStart(4, '0') + letter : '';
}
